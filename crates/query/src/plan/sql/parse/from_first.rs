//! Queries without SELECT: `FROM t` and `TABLE t` for `SELECT * FROM t`.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Whitespace};

/// Puts `SELECT *` in front of every query that begins with FROM and has no SELECT, and writes
/// TABLE in front of a query as such a FROM. The parser takes such a query for one without columns,
/// and fails at everything after its tables.
pub(super) fn complete(tokens: &mut Vec<TokenWithSpan>) {
    let mut queries = Queries::default();
    for token in tokens.iter() {
        queries.push(&token.token, token.span.start);
    }
    let places = queries.finish();
    let mut places = places.into_iter().peekable();
    if places.peek().is_none() {
        return;
    }
    let mut completed = Vec::with_capacity(tokens.len());
    for token in std::mem::take(tokens) {
        if let Some(place) = places.next_if_eq(&token.span.start) {
            let space = Token::Whitespace(Whitespace::Space);
            let select = [Token::make_keyword("SELECT"), space.clone(), Token::Mul, space];
            completed.extend(select.map(|token| TokenWithSpan::new(token, Span::new(place, place))));
            let from = Token::make_keyword("FROM");
            completed.push(if is_table(&token.token) { TokenWithSpan::new(from, token.span) } else { token });
            continue;
        }
        completed.push(token);
    }
    *tokens = completed;
}

fn is_table(token: &Token) -> bool {
    matches!(token, Token::Word(word) if word.keyword == Keyword::TABLE)
}

/// The open queries at the reading position, the innermost last.
struct Queries {
    open: Vec<Query>,
    /// The last token that is not white space.
    last: Token,
    /// True if this is the NAME of BY NAME behind a set operation.
    is_by_name: bool,
    /// The FROMs that lack a SELECT.
    places: Vec<Location>,
    /// The part of a statement that is being read, if its query comes later.
    lead: Option<Lead>,
}

/// Part of a statement in front of its query.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// CREATE and PREPARE: the query follows AS.
    As,
    /// INSERT INTO a table.
    Insert,
}

impl Default for Queries {
    fn default() -> Self {
        Self {
            open: vec![Query::default()],
            last: Token::SemiColon,
            is_by_name: false,
            places: Vec::new(),
            lead: None,
        }
    }
}

/// One SELECT, or the parentheses of anything else.
#[derive(Default)]
struct Query {
    progress: Progress,
    /// A leading FROM without a SELECT so far.
    from: Option<Location>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Progress {
    /// Start of a query: a FROM here comes first.
    #[default]
    Start,
    /// Common tables are being read.
    With,
    /// Everything else: a FROM belongs to something in front of it.
    Inside,
}

impl Queries {
    fn push(&mut self, token: &Token, place: Location) {
        if matches!(token, Token::Whitespace(_)) {
            return;
        }
        let is_by_name = self.is_by_name(token);
        match token {
            Token::LParen => {
                let progress = if self.calls_function() { Progress::Inside } else { Progress::Start };
                self.query().progress = self.query().progress.inside();
                self.open.push(Query { progress, from: None });
            }
            Token::RParen if self.open.len() > 1 => {
                self.end_select();
                self.open.pop();
            }
            Token::SemiColon => self.end_select(),
            Token::Word(word) if word.quote_style.is_none() => self.word(word.keyword, place),
            _ => self.query().progress = self.query().progress.inside(),
        }
        self.last = token.clone();
        self.is_by_name = is_by_name;
    }

    fn word(&mut self, word: Keyword, place: Location) {
        let is_after_tables = self.last == Token::RParen;
        let is_behind_into = matches!(&self.last, Token::Word(word) if word.keyword == Keyword::INTO);
        let lead = self.lead.filter(|_| self.open.len() == 1);
        let is_behind_set_operation = self.is_behind_set_operation();
        let query = self.query();
        match (word, query.progress) {
            // INSERT INTO t FROM u
            // INSERT INTO t TABLE u, but not INSERT INTO TABLE t
            (Keyword::TABLE, _) if lead == Some(Lead::Insert) && is_behind_into => {}
            (Keyword::FROM | Keyword::TABLE, _) if lead == Some(Lead::Insert) => {
                (query.from, query.progress) = (Some(place), Progress::Inside);
                self.lead = None;
            }
            (Keyword::FROM | Keyword::TABLE, Progress::Start) => {
                (query.from, query.progress) = (Some(place), Progress::Inside);
            }
            (Keyword::FROM | Keyword::TABLE, Progress::With) if is_after_tables => {
                (query.from, query.progress) = (Some(place), Progress::Inside);
            }
            (Keyword::SELECT, _) => {
                (query.from, query.progress) = (None, Progress::Inside);
                self.lead = self.lead.filter(|_| lead.is_none());
            }
            (Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT, Progress::Inside) => self.end_select(),
            (Keyword::WITH, Progress::Start) => query.progress = Progress::With,
            // in front of a query
            (
                Keyword::ALL
                | Keyword::DISTINCT
                | Keyword::EXPLAIN
                | Keyword::ANALYZE
                | Keyword::VERBOSE
                | Keyword::DESCRIBE
                | Keyword::DESC,
                Progress::Start,
            ) => {}
            (Keyword::BY | Keyword::NAME, Progress::Start) if is_behind_set_operation => {}
            (Keyword::CREATE | Keyword::PREPARE, Progress::Start) => {
                query.progress = Progress::Inside;
                self.lead = Some(Lead::As);
            }
            (Keyword::INSERT, Progress::Start) => {
                query.progress = Progress::Inside;
                self.lead = Some(Lead::Insert);
            }
            // CREATE VIEW v AS FROM t
            (Keyword::AS, _) if lead == Some(Lead::As) => {
                query.progress = Progress::Start;
                self.lead = None;
            }
            _ => query.progress = query.progress.inside(),
        }
    }

    /// Returns whether the last token may stand between a set operation and BY NAME, or is its BY.
    fn is_behind_set_operation(&self) -> bool {
        let Token::Word(word) = &self.last else { return false };
        matches!(word.keyword, Keyword::UNION | Keyword::ALL | Keyword::DISTINCT | Keyword::BY)
    }

    /// Returns whether a token is the NAME of BY NAME at the start of a query.
    fn is_by_name(&mut self, token: &Token) -> bool {
        let is_word = |token: &Token, keyword| matches!(token, Token::Word(word) if word.keyword == keyword);
        self.query().progress == Progress::Start
            && is_word(token, Keyword::NAME)
            && is_word(&self.last, Keyword::BY)
    }

    /// Returns whether the next parenthesis holds the arguments of a function.
    fn calls_function(&self) -> bool {
        let is_behind_table = self.lead == Some(Lead::Insert) && self.open.len() == 1;
        if self.is_by_name || is_behind_table {
            return false;
        }
        match &self.last {
            Token::Word(word) if word.quote_style.is_some() => true,
            Token::Word(word) => !matches!(
                word.keyword,
                Keyword::ALL
                    | Keyword::AND
                    | Keyword::ANY
                    | Keyword::ARRAY
                    | Keyword::AS
                    | Keyword::BETWEEN
                    | Keyword::BY
                    | Keyword::CASE
                    | Keyword::DESCRIBE
                    | Keyword::DISTINCT
                    | Keyword::ELSE
                    | Keyword::EXCEPT
                    | Keyword::EXISTS
                    | Keyword::FROM
                    | Keyword::HAVING
                    | Keyword::IN
                    | Keyword::INTERSECT
                    | Keyword::JOIN
                    | Keyword::LATERAL
                    | Keyword::LIKE
                    | Keyword::LIMIT
                    | Keyword::MATERIALIZED
                    | Keyword::NOT
                    | Keyword::OFFSET
                    | Keyword::ON
                    | Keyword::OR
                    | Keyword::PIVOT
                    | Keyword::QUALIFY
                    | Keyword::SELECT
                    | Keyword::SOME
                    | Keyword::THEN
                    | Keyword::UNION
                    | Keyword::UNPIVOT
                    | Keyword::WHEN
                    | Keyword::WHERE
            ),
            _ => false,
        }
    }

    /// Returns the innermost query. One is always open.
    fn query(&mut self) -> &mut Query {
        if self.open.is_empty() {
            self.open.push(Query::default());
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    fn end_select(&mut self) {
        let query = std::mem::take(self.query());
        self.places.extend(query.from);
    }

    /// Returns the FROMs that lack a SELECT, in the order of the text.
    fn finish(mut self) -> Vec<Location> {
        while !self.open.is_empty() {
            self.end_select();
            self.open.pop();
        }
        self.places.sort_unstable();
        self.places
    }
}

impl Progress {
    /// Returns the state after a token that belongs to no query.
    fn inside(self) -> Self {
        match self {
            Progress::With => Progress::With,
            Progress::Start | Progress::Inside => Progress::Inside,
        }
    }
}

#[cfg(test)]
mod tests;

//! The dialect of Pelton's SQL: sqlparser's generic one with DuckDB's additions.

use std::any::TypeId;

use datafusion::sql::sqlparser::ast::{
    Expr, LambdaFunction, LambdaFunctionParameter, LambdaSyntax, OneOrManyWithParens, TypedString,
    UnaryOperator,
};
use datafusion::sql::sqlparser::dialect::{Dialect, GenericDialect};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::Token;

use super::budget;
use crate::plan::sql::syntax::call;

/// sqlparser's generic dialect with lambda functions, `ORDER BY ALL`, `SELECT name: expression`,
/// `LIMIT 10%`, `@x` and `INTERVAL (x) DAY`.
#[derive(Debug)]
pub(in crate::plan) struct PeltonDialect;

macro_rules! supports {
    ($($name:ident),* $(,)?) => {
        $(fn $name(&self) -> bool {
            true
        })*
    };
}

impl Dialect for PeltonDialect {
    /// Returns the generic dialect's type, so that the parser's checks for it hold for this one.
    fn dialect(&self) -> TypeId {
        TypeId::of::<GenericDialect>()
    }

    fn is_delimited_identifier_start(&self, start: char) -> bool {
        GenericDialect.is_delimited_identifier_start(start)
    }

    fn is_identifier_start(&self, start: char) -> bool {
        start != '@' && GenericDialect.is_identifier_start(start)
    }

    fn is_identifier_part(&self, part: char) -> bool {
        GenericDialect.is_identifier_part(part)
    }

    // the generic dialect's
    supports! {
        supports_unicode_string_literal,
        supports_partition_by_after_order_by,
        supports_array_join_syntax,
        supports_group_by_expr,
        supports_group_by_with_modifier,
        supports_left_associative_joins_without_parens,
        supports_connect_by,
        supports_match_recognize,
        supports_pipe_operator,
        supports_start_transaction_modifier,
        supports_window_function_null_treatment_arg,
        supports_dictionary_syntax,
        supports_window_clause_named_window_reference,
        supports_parenthesized_set_variables,
        supports_select_wildcard_except,
        support_map_literal_syntax,
        allow_extract_custom,
        allow_extract_single_quotes,
        supports_extract_comma_syntax,
        supports_create_view_comment_syntax,
        supports_parens_around_table_factor,
        supports_values_as_table_factor,
        supports_create_index_with_clause,
        supports_explain_with_utility_options,
        supports_limit_comma,
        supports_update_order_by,
        supports_from_first_select,
        supports_asc_desc_in_column_definition,
        supports_try_convert,
        supports_bitwise_shift_operators,
        supports_comment_on,
        supports_load_extension,
        supports_named_fn_args_with_assignment_operator,
        supports_struct_literal,
        supports_empty_projections,
        supports_nested_comments,
        supports_multiline_comment_hints,
        supports_user_host_grantee,
        supports_string_escape_constant,
        supports_array_typedef_with_brackets,
        supports_match_against,
        supports_set_names,
        supports_comma_separated_set_assignments,
        supports_filter_during_aggregation,
        supports_select_wildcard_exclude,
        supports_data_type_signed_suffix,
        supports_interval_options,
        supports_quote_delimited_string,
        supports_select_wildcard_replace,
        supports_select_wildcard_ilike,
        supports_select_wildcard_rename,
        supports_optimize_table,
        supports_install,
        supports_detach,
        supports_prewhere,
        supports_with_fill,
        supports_limit_by,
        supports_interpolate,
        supports_settings,
        supports_select_format,
        supports_comment_optimizer_hint,
        supports_constraint_keyword_without_name,
        supports_key_column_option,
        supports_comma_separated_trim,
        supports_cte_without_as,
        supports_select_item_multi_column_alias,
        supports_xml_expressions,
    }

    // DuckDB's
    supports! {
        supports_lambda_functions,
        supports_order_by_all,
        supports_notnull_operator,
        supports_numeric_literal_underscores,
    }

    /// Reads `name: expression`, an item of SELECT with its name in front, `TIMESTAMP_NS 'text'`,
    /// `@x`, `INTERVAL (x) DAY` and `[f(x) FOR x IN list IF condition]`.
    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        if let Err(error) = budget::step() {
            return Some(Err(error));
        }
        let is_named = matches!(parser.peek_token_ref().token, Token::Word(_))
            && parser.peek_nth_token_ref(1).token == Token::Colon
            && is_item(parser);
        if is_named {
            return Some(parse_named(parser));
        }
        if is_typed_text(parser) {
            return Some(parse_typed_text(parser));
        }
        if parser.consume_token(&Token::AtSign) {
            return Some(parser.parse_subexpr(ABSOLUTE).map(|operand| call("abs", vec![operand])));
        }
        if is_interval_of(parser) {
            parser.next_token();
            return Some(parser.parse_interval());
        }
        has_comprehension(parser).then(|| parse_comprehension(parser))
    }

    /// Gives `**` a higher precedence than `*`, and `||` a lower one than `+`.
    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        match parser.peek_token_ref().token {
            Token::StringConcat => Some(Ok(CONCATENATION)),
            _ => is_power(parser).then_some(Ok(POWER)),
        }
    }

    /// Reads the percent sign behind a number of LIMIT or of a sample.
    fn parse_infix(&self, parser: &mut Parser, left: &Expr, _: u8) -> Option<Result<Expr, ParserError>> {
        if is_power(parser) {
            return Some(parse_power(parser, left));
        }
        let is_percent = parser.peek_token_ref().token == Token::Mod
            && match &parser.peek_nth_token_ref(1).token {
                Token::EOF | Token::RParen | Token::SemiColon => true,
                Token::Word(word) => word.keyword == Keyword::OFFSET && word.quote_style.is_none(),
                _ => false,
            };
        is_percent.then(|| {
            parser.expect_token(&Token::Mod)?;
            Ok(Expr::UnaryOp { op: PERCENT, expr: Box::new(left.clone()) })
        })
    }
}

/// Precedence of `@`, the absolute value: below addition, as in DuckDB and PostgreSQL.
const ABSOLUTE: u8 = 24;

/// Precedence of `||`: below addition and above comparisons, as in DuckDB and PostgreSQL.
const CONCATENATION: u8 = 24;

/// Precedence of `**`: above multiplication, below casts.
const POWER: u8 = 45;

/// The function that stands for `**` until signs in front of it are bound.
pub(in crate::plan::sql) const POWER_CALL: &str = "__pelton_power";

/// Returns whether `**` follows.
fn is_power(parser: &Parser) -> bool {
    let [first, second] = [0, 1].map(|number| parser.peek_nth_token_ref(number));
    first.token == Token::Mul && second.token == Token::Mul && first.span.end == second.span.start
}

fn parse_power(parser: &mut Parser, left: &Expr) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::Mul)?;
    parser.expect_token(&Token::Mul)?;
    let right = parser.parse_subexpr(POWER)?;
    Ok(call(POWER_CALL, vec![left.clone(), right]))
}

fn parse_named(parser: &mut Parser) -> Result<Expr, ParserError> {
    let name = parser.parse_identifier()?;
    parser.expect_token(&Token::Colon)?;
    let expr = Box::new(parser.parse_expr()?);
    Ok(Expr::Named { expr, name })
}

/// Types with constants that the parser would read as a column and a title.
const TYPES_OF_TEXT: [&str; 4] = ["timestamp_s", "timestamp_ms", "timestamp_us", "timestamp_ns"];

/// Returns whether a type follows, and a text of it.
fn is_typed_text(parser: &Parser) -> bool {
    let Token::Word(word) = &parser.peek_token_ref().token else { return false };
    word.quote_style.is_none()
        && TYPES_OF_TEXT.iter().any(|name| word.value.eq_ignore_ascii_case(name))
        && matches!(parser.peek_nth_token_ref(1).token, Token::SingleQuotedString(_))
}

fn parse_typed_text(parser: &mut Parser) -> Result<Expr, ParserError> {
    let data_type = parser.parse_data_type()?;
    Ok(Expr::TypedString(TypedString { data_type, value: parser.parse_value()?, uses_odbc_syntax: false }))
}

/// Returns whether INTERVAL follows with a count in parentheses, which the parser would read as the
/// precision of a type.
fn is_interval_of(parser: &Parser) -> bool {
    let Token::Word(word) = &parser.peek_token_ref().token else { return false };
    word.keyword == Keyword::INTERVAL
        && word.quote_style.is_none()
        && parser.peek_nth_token_ref(1).token == Token::LParen
}

/// Returns whether brackets follow that hold a FOR.
fn has_comprehension(parser: &Parser) -> bool {
    if parser.peek_token_ref().token != Token::LBracket {
        return false;
    }
    let mut depth = 0_usize;
    for index in parser.index().. {
        match &parser.token_at(index).token {
            Token::LBracket | Token::LParen | Token::LBrace => depth += 1,
            Token::RBracket | Token::RParen | Token::RBrace => match depth.checked_sub(1) {
                None | Some(0) => return false,
                Some(outer) => depth = outer,
            },
            Token::Word(word) if depth == 1 && word.keyword == Keyword::FOR && word.quote_style.is_none() => {
                return true;
            }
            Token::EOF | Token::SemiColon => return false,
            _ => {}
        }
    }
    false
}

/// Reads a list comprehension as calls of `list_filter` and `list_transform`.
fn parse_comprehension(parser: &mut Parser) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LBracket)?;
    let result = parser.parse_expr()?;
    parser.expect_keyword_is(Keyword::FOR)?;
    let mut names = vec![parser.parse_identifier()?];
    if parser.consume_token(&Token::Comma) {
        names.push(parser.parse_identifier()?);
    }
    parser.expect_keyword_is(Keyword::IN)?;
    let mut list = parser.parse_expr()?;
    let lambda = |body| {
        let parameters =
            names.iter().map(|name| LambdaFunctionParameter { name: name.clone(), data_type: None });
        Expr::Lambda(LambdaFunction {
            params: OneOrManyWithParens::Many(parameters.collect()),
            body: Box::new(body),
            syntax: LambdaSyntax::Arrow,
        })
    };
    if parser.parse_keyword(Keyword::IF) {
        let condition = parser.parse_expr()?;
        list = call("list_filter", vec![list, lambda(condition)]);
    }
    parser.expect_token(&Token::RBracket)?;
    Ok(call("list_transform", vec![list, lambda(result)]))
}

/// The operator that stands for a percent sign in a syntax tree. The parser reads it in no text, as
/// the dialect has no factorials.
pub(in crate::plan::sql) const PERCENT: UnaryOperator = UnaryOperator::PGPostfixFactorial;

/// Returns whether the parser is at the beginning of an item of SELECT: behind SELECT or a comma,
/// and in no brackets that were opened since.
fn is_item(parser: &Parser) -> bool {
    let mut index = parser.get_current_index();
    let mut closed = 0_usize;
    let mut is_first = true;
    loop {
        let token = &parser.token_at(index).token;
        match token {
            Token::Whitespace(_) => {}
            token if is_first => {
                is_first = false;
                match token {
                    token if is_select(token) => return true,
                    Token::Comma => {}
                    _ => return false,
                }
            }
            Token::RParen | Token::RBracket | Token::RBrace => closed += 1,
            Token::LParen | Token::LBracket | Token::LBrace if closed == 0 => return false,
            Token::LParen | Token::LBracket | Token::LBrace => closed -= 1,
            Token::Word(word) if closed == 0 && word.quote_style.is_none() => match word.keyword {
                Keyword::SELECT => return true,
                Keyword::FROM | Keyword::WHERE | Keyword::BY | Keyword::LAMBDA => return false,
                _ => {}
            },
            _ => {}
        }
        match index.checked_sub(1) {
            Some(before) => index = before,
            None => return false,
        }
    }
}

/// Returns whether an item of SELECT can follow a token at once.
fn is_select(token: &Token) -> bool {
    match token {
        Token::Word(word) => {
            word.quote_style.is_none()
                && matches!(word.keyword, Keyword::SELECT | Keyword::DISTINCT | Keyword::ALL)
        }
        _ => false,
    }
}

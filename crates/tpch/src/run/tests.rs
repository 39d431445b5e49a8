use super::{Verdict, run_query};
use crate::Error;
use crate::engine::protocol::{Answered, Identity};
use crate::engine::result::{Kind, ResultSet};
use crate::engine::system::System;
use crate::queries::QUERIES;

/// An engine that answers every query with the same text.
struct Canned {
    identity: Identity,
    reply: Result<&'static str, &'static str>,
}

fn canned(reply: Result<&'static str, &'static str>) -> Canned {
    Canned { identity: Identity { name: "Canned".into(), version: "1".into() }, reply }
}

impl System for Canned {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn query(&mut self, _sql: &str, _rows: bool) -> Result<Answered, Error> {
        let text = self.reply.map_err(|reason| Error::Argument(reason.into()))?;
        let mut result = ResultSet::from_answer(text);
        result.columns[0].kind = Kind::Number;
        let row_count = result.rows.len() as u64;
        Ok(Answered { ms: 2.5, planned_ms: None, row_count, result: Some(result), scanned: None })
    }

    fn peak_memory(&mut self) -> Result<u64, Error> {
        Ok(0)
    }
}

const RIGHT: &str = "revenue\n123141078.2283\n";
const WRONG: &str = "revenue\n123141078.2284\n";

fn verdict(
    reply: Result<&'static str, &'static str>,
    rival: Option<&'static str>,
    scale_factor: f64,
) -> Verdict {
    let mut rival = rival.map(|text| canned(Ok(text)));
    let rival = rival.as_mut().map(|rival| rival as &mut dyn System);
    run_query(&mut canned(reply), rival, &QUERIES[5], scale_factor).unwrap().verdict
}

#[test]
fn a_kept_answer_decides() {
    assert_eq!(verdict(Ok(RIGHT), None, 1.0), Verdict::Right);
    assert_eq!(verdict(Ok(RIGHT), Some(RIGHT), 1.0), Verdict::Right);
    let wrong = verdict(Ok(WRONG), None, 1.0);
    assert!(wrong.is_bad());
    assert_eq!(wrong.to_string(), "WRONG: row 1, revenue: 123141078.2284, expected 123141078.2283");
    assert!(matches!(verdict(Ok(WRONG), Some(WRONG), 1.0), Verdict::Wrong(_)), "two may be wrong together");
}

#[test]
fn without_one_another_engine_may() {
    assert_eq!(verdict(Ok(RIGHT), None, 10.0), Verdict::Unchecked);
    assert_eq!(verdict(Ok(WRONG), Some(WRONG), 10.0), Verdict::Agrees("Canned".into()));
    let differs = verdict(Ok(RIGHT), Some(WRONG), 10.0);
    assert!(differs.is_bad());
    assert!(differs.to_string().starts_with("DIFFERS from Canned: row 1"), "{differs}");
    assert!(matches!(verdict(Ok(RIGHT), Some(WRONG), 1.0), Verdict::Differs(..)));
}

#[test]
fn a_failing_query_is_a_verdict_and_a_failing_rival_an_error() {
    assert_eq!(verdict(Err("out of luck"), None, 1.0), Verdict::Failed("out of luck".into()));
    let mut rival = canned(Err("gone"));
    let error = run_query(&mut canned(Ok(RIGHT)), Some(&mut rival), &QUERIES[5], 1.0).unwrap_err();
    assert_eq!(error.to_string(), "gone");
}

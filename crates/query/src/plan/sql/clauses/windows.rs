//! Windows that extend named ones, `OVER (w ROWS 1 PRECEDING)`, and the distances of their frames.

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::plan::sql::walk::WalkMut;
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::sql::planner::IdentNormalizer;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, NamedWindowDefinition, NamedWindowExpr, Select, Statement, Value, VisitorMut,
    WindowFrameBound, WindowSpec, WindowType,
};

/// Writes out every window that extends a named one, as DataFusion ignores the name, and intervals
/// in frames as it reads them.
///
/// # Errors
/// A name is unknown, or both windows have the same clause.
pub(in crate::plan::sql) fn write_out(statement: &mut Statement) -> Result<()> {
    match statement.walk_mut(&mut WriteOut::default()) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(reason) => plan_err!("{reason}"),
    }
}

/// The named windows of the SELECTs around an expression, the innermost last.
#[derive(Default)]
struct WriteOut {
    names: Vec<HashMap<String, WindowSpec>>,
}

impl VisitorMut for WriteOut {
    type Break = String;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<String> {
        self.names.push(HashMap::new());
        for NamedWindowDefinition(name, definition) in &mut select.named_window {
            let mut window = match definition {
                NamedWindowExpr::WindowSpec(window) => window.clone(),
                NamedWindowExpr::NamedWindow(base) => WindowSpec {
                    window_name: Some(base.clone()),
                    partition_by: vec![],
                    order_by: vec![],
                    window_frame: None,
                },
            };
            self.complete(&mut window)?;
            *definition = NamedWindowExpr::WindowSpec(window.clone());
            if let Some(names) = self.names.last_mut() {
                names.insert(folded(name), window);
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _: &mut Select) -> ControlFlow<String> {
        self.names.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<String> {
        match expr {
            Expr::Function(function) => match &mut function.over {
                Some(WindowType::WindowSpec(window)) => self.complete(window),
                _ => ControlFlow::Continue(()),
            },
            _ => ControlFlow::Continue(()),
        }
    }
}

impl WriteOut {
    /// Adds the clauses of the named window that a window extends.
    fn complete(&self, window: &mut WindowSpec) -> ControlFlow<String> {
        if let Some(frame) = &mut window.window_frame {
            quote(&mut frame.start_bound);
            frame.end_bound.as_mut().into_iter().for_each(quote);
        }
        let Some(name) = window.window_name.take() else { return ControlFlow::Continue(()) };
        let key = folded(&name);
        let Some(base) = self.names.iter().rev().find_map(|names| names.get(&key)) else {
            return ControlFlow::Break(format!(
                "window {name} is not defined: define it behind the tables, WINDOW {name} AS (ORDER BY column)"
            ));
        };
        if !window.partition_by.is_empty() || (!window.order_by.is_empty() && !base.order_by.is_empty()) {
            return ControlFlow::Break(format!(
                "a window that builds on window {name} can't have a PARTITION BY, nor an ORDER BY if {name} has one: \
                 write the whole window out"
            ));
        }
        window.partition_by.clone_from(&base.partition_by);
        if window.order_by.is_empty() {
            window.order_by.clone_from(&base.order_by);
        }
        if window.window_frame.is_none() {
            window.window_frame.clone_from(&base.window_frame);
        }
        ControlFlow::Continue(())
    }
}

/// Writes the number of an interval, `INTERVAL 7 DAY`, as text, as DataFusion reads it there.
fn quote(bound: &mut WindowFrameBound) {
    let (WindowFrameBound::Preceding(Some(distance)) | WindowFrameBound::Following(Some(distance))) = bound
    else {
        return;
    };
    if let Expr::Interval(interval) = distance.as_mut()
        && let Expr::Value(value) = interval.value.as_mut()
        && let Value::Number(number, _) = &value.value
    {
        value.value = Value::SingleQuotedString(number.clone());
    }
}

fn folded(name: &Ident) -> String {
    IdentNormalizer::new(true).normalize(name.clone())
}

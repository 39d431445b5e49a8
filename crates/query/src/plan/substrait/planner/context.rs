//! Session and plan that relations and expressions are planned in.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::common::DFSchema;
use datafusion::execution::SessionState;
use datafusion_substrait::logical_plan::consumer::DefaultSubstraitLambdaConsumer;
use parking_lot::RwLock;
use substrait::proto::expression::Literal;

use crate::plan::substrait::functions::Functions;
use crate::scan::ScanContext;

/// The parts of a session and of a plan that planning needs.
pub(in crate::plan::substrait) struct Consumer<'a> {
    pub state: &'a SessionState,
    pub scan: &'a ScanContext,
    pub functions: &'a Functions,
    /// The plan is DataFusion's, whose sets of groups have another column than the standard's.
    pub is_of_datafusion: bool,
    /// Values of parameters, by their anchors.
    pub parameters: HashMap<u32, &'a Literal>,
    /// Schemas of the queries around the present one, the innermost last.
    pub outer: RwLock<Vec<Arc<DFSchema>>>,
    pub lambdas: DefaultSubstraitLambdaConsumer,
}

impl<'a> Consumer<'a> {
    pub fn new(
        state: &'a SessionState,
        scan: &'a ScanContext,
        functions: &'a Functions,
        parameters: HashMap<u32, &'a Literal>,
        is_of_datafusion: bool,
    ) -> Self {
        let (outer, lambdas) = (RwLock::default(), DefaultSubstraitLambdaConsumer::new());
        Self { state, scan, functions, is_of_datafusion, parameters, outer, lambdas }
    }
}

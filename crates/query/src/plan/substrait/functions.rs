//! Functions of a plan, by their anchors.
//!
//! A function of the Substrait standard is known by the table here, since several have the name of
//! one that answers otherwise. DataFusion's producers give functions of DataFusion no origin; their
//! names are those of the session.

use std::collections::HashMap;

use datafusion::execution::FunctionRegistry;
use datafusion::execution::SessionState;
use datafusion_substrait::extensions::Extensions;
use datafusion_substrait::logical_plan::consumer::{name_to_op, substrait_fun_name};
use substrait::proto::FunctionOption;
use substrait::proto::extensions::SimpleExtensionDeclaration;
use substrait::proto::extensions::simple_extension_declaration::MappingType;

use crate::error::{Error, Result};
use crate::functions::SINGLE_VALUE;

/// Origin that DataFusion's producers write.
const NO_ORIGIN: u32 = u32::MAX;

/// Place of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Row,
    Aggregate,
    Window,
}

/// Way to a function of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The session's function or operator of the name that is registered in [`Functions::names`].
    Named,
    /// A part of a time, by an enumeration.
    Extract,
    /// `||`, which gives NULL for NULL; a session's function that passes over NULL, if an option
    /// says so.
    Concat,
    /// A text cut at each separator, whole without one.
    Split,
    /// An infinite number.
    IsInfinite,
    /// A number that is neither infinite nor NaN.
    IsFinite,
    /// The standard deviation or variance, of a sample or a population.
    Spread(&'static str, &'static str),
}

/// A declared function.
struct Function {
    /// Name in the plan, as far as its signature.
    name: String,
    is_standard: bool,
}

/// The functions of a plan.
pub(super) struct Functions {
    by_anchor: HashMap<u32, Function>,
    /// The functions' names in the session, for DataFusion's consumer.
    pub names: Extensions,
}

impl Functions {
    /// Reads the declarations of a plan.
    ///
    /// # Errors
    /// A declaration is empty.
    pub fn new(declared: &Vec<SimpleExtensionDeclaration>) -> Result<Self> {
        let mut names = Extensions::try_from(declared)?;
        let mut by_anchor = HashMap::new();
        for declaration in declared {
            let Some(MappingType::ExtensionFunction(function)) = &declaration.mapping_type else { continue };
            let name = substrait_fun_name(&function.name).to_owned();
            let is_standard = function.extension_urn_reference != NO_ORIGIN;
            if is_standard && let Some(name) = renamed(&name) {
                names.functions.insert(function.function_anchor, name.to_owned());
            }
            by_anchor.insert(function.function_anchor, Function { name, is_standard });
        }
        Ok(Self { by_anchor, names })
    }

    /// Returns the name of a function in the plan.
    pub fn name(&self, anchor: u32) -> Option<&str> {
        self.by_anchor.get(&anchor).map(|function| function.name.as_str())
    }

    /// Returns the way to a function; `None` if there is none.
    pub fn form(&self, state: &SessionState, anchor: u32, place: Place) -> Option<Form> {
        let function = self.by_anchor.get(&anchor)?;
        let name = function.name.as_str();
        if function.is_standard && !is_standard(name, place) {
            return None;
        }
        if function.is_standard
            && let Some(form) = special(name, place)
        {
            return Some(form);
        }
        let name = substrait_fun_name(self.names.functions.get(&anchor)?);
        let is_known = match place {
            Place::Row => {
                name_to_op(name).is_some()
                    || BUILT_IN.contains(&name)
                    || state.udf(name).is_ok()
                    || state.higher_order_function(name).is_ok()
            }
            Place::Aggregate => name == SINGLE_VALUE || state.udaf(name).is_ok(),
            Place::Window => state.udwf(name).is_ok() || state.udaf(name).is_ok(),
        };
        is_known.then_some(Form::Named)
    }
}

/// Returns the value of an option, the first preference.
pub(super) fn option<'a>(options: &'a [FunctionOption], name: &str) -> Option<&'a str> {
    let option = options.iter().find(|option| option.name.eq_ignore_ascii_case(name))?;
    option.preference.first().map(String::as_str)
}

/// Returns whether a call with an option gives what the option says.
pub(super) fn has_option(function: &str, name: &str, preferences: &[String]) -> bool {
    let allowed: &[&str] = match (name.to_ascii_lowercase().as_str(), function) {
        ("distribution", "std_dev" | "variance") => &["SAMPLE", "POPULATION"],
        ("null_handling", "concat") => &["ACCEPT_NULLS", "IGNORE_NULLS"],
        ("overflow", _) => &["SILENT", "ERROR"],
        ("case_sensitivity", _) => &["CASE_SENSITIVE"],
        ("rounding", "add" | "subtract" | "multiply" | "divide" | "sqrt" | "avg") => &["TIE_TO_EVEN"],
        ("on_division_by_zero", "divide" | "modulus") => &["ERROR"],
        ("division_type", "modulus") => &["TRUNCATE"],
        _ => &[],
    };
    // The first that is supported counts, and the options above are computed alike unless they are
    // read by the function's form.
    let is_allowed =
        |preference: &String| allowed.iter().any(|allowed| preference.eq_ignore_ascii_case(allowed));
    match name.to_ascii_lowercase().as_str() {
        "distribution" | "null_handling" => preferences.first().is_some_and(is_allowed),
        _ => preferences.iter().any(is_allowed),
    }
}

/// Functions that DataFusion's consumer makes of expressions.
const BUILT_IN: [&str; 24] = [
    "not",
    "like",
    "ilike",
    "like_match",
    "like_imatch",
    "like_not_match",
    "like_not_imatch",
    "is_null",
    "is_not_null",
    "is_true",
    "is_false",
    "is_not_true",
    "is_not_false",
    "is_unknown",
    "is_not_unknown",
    "negative",
    "negate",
    "and_not",
    "xor",
    "between",
    "logb",
    "is_nan",
    "mod",
    "modulus",
];

/// Returns the session's name of a function of the standard, where it differs.
fn renamed(name: &str) -> Option<&'static str> {
    Some(match name {
        "add_intervals" => "add",
        "any_value" => "first_value",
        "approx_count_distinct" => "approx_distinct",
        "char_length" => "character_length",
        "shift_left" => "bitwise_shift_left",
        "shift_right" => "bitwise_shift_right",
        "sign" => "signum",
        "trim" => "btrim",
        _ => return None,
    })
}

fn special(name: &str, place: Place) -> Option<Form> {
    Some(match (place, name) {
        (Place::Row, "extract") => Form::Extract,
        (Place::Row, "concat") => Form::Concat,
        (Place::Row, "string_split") => Form::Split,
        (Place::Row, "is_infinite") => Form::IsInfinite,
        (Place::Row, "is_finite") => Form::IsFinite,
        (Place::Aggregate, "std_dev") => Form::Spread("stddev", "stddev_pop"),
        (Place::Aggregate, "variance") => Form::Spread("var", "var_pop"),
        _ => return None,
    })
}

/// Returns whether a function of the standard gives what the standard says. `logb` is left out: its
/// description and its tests have its arguments in different orders.
fn is_standard(name: &str, place: Place) -> bool {
    let row: &[&str] = &[
        "abs",
        "acos",
        "acosh",
        "add",
        "add_intervals",
        "and",
        "and_not",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "between",
        "bit_length",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "ceil",
        "char_length",
        "coalesce",
        "concat",
        "concat_ws",
        "contains",
        "cos",
        "cosh",
        "degrees",
        "divide",
        "ends_with",
        "equal",
        "exp",
        "extract",
        "factorial",
        "floor",
        "gt",
        "gte",
        "initcap",
        "is_distinct_from",
        "is_false",
        "is_finite",
        "is_infinite",
        "is_nan",
        "is_not_distinct_from",
        "is_not_false",
        "is_not_null",
        "is_not_true",
        "is_null",
        "is_true",
        "left",
        "like",
        "ln",
        "log10",
        "log2",
        "lower",
        "lpad",
        "lt",
        "lte",
        "ltrim",
        "modulus",
        "multiply",
        "negate",
        "not",
        "not_equal",
        "nullif",
        "octet_length",
        "or",
        "power",
        "radians",
        "repeat",
        "replace",
        "reverse",
        "right",
        "round",
        "rpad",
        "rtrim",
        "shift_left",
        "shift_right",
        "sign",
        "sin",
        "sinh",
        "sqrt",
        "starts_with",
        "string_split",
        "strpos",
        "substring",
        "subtract",
        "tan",
        "tanh",
        "trim",
        "upper",
        "xor",
    ];
    let aggregates: &[&str] = &[
        "any_value",
        "approx_count_distinct",
        "avg",
        "bool_and",
        "bool_or",
        "corr",
        "count",
        "max",
        "min",
        "std_dev",
        "string_agg",
        "sum",
        "variance",
    ];
    let windows: &[&str] = &[
        "cume_dist",
        "dense_rank",
        "first_value",
        "lag",
        "last_value",
        "lead",
        "nth_value",
        "ntile",
        "percent_rank",
        "rank",
        "row_number",
    ];
    // a window has no distribution, and so no spread
    let over_windows = || aggregates.contains(&name) && !["std_dev", "variance"].contains(&name);
    match place {
        Place::Row => row.contains(&name),
        Place::Aggregate => aggregates.contains(&name),
        Place::Window => windows.contains(&name) || over_windows(),
    }
}

/// Returns the field of a time that `date_part` knows for a component of `extract`.
///
/// # Errors
/// There is no such field.
pub(super) fn time_field(component: &str) -> Result<&'static str> {
    Ok(match component.to_ascii_uppercase().as_str() {
        "YEAR" => "year",
        "ISO_YEAR" => "isoyear",
        "QUARTER" => "quarter",
        "MONTH" => "month",
        "ISO_WEEK" => "week",
        "DAY" => "day",
        "DAY_OF_YEAR" => "doy",
        "HOUR" => "hour",
        "MINUTE" => "minute",
        "SECOND" => "second",
        "UNIX_TIME" => "epoch",
        _ => {
            return Err(Error::Query(format!(
                "not supported: extract({component}, …) of Substrait; there are YEAR, ISO_YEAR, QUARTER, \
                 MONTH, ISO_WEEK, DAY, DAY_OF_YEAR, HOUR, MINUTE, SECOND and UNIX_TIME"
            )));
        }
    })
}

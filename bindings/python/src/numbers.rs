//! Whole numbers among the arguments of functions.

use std::fmt::Display;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A type of whole numbers.
pub trait Whole: TryFrom<i128> + Display + Copy {
    /// The least and the greatest number.
    const RANGE: (Self, Self);
}

macro_rules! whole {
    ($($of:ident),*) => {
        $(impl Whole for $of {
            const RANGE: (Self, Self) = ($of::MIN, $of::MAX);
        })*
    };
}

whole!(i32, u64, usize);

/// Returns a number, for arguments (`from_py_with`).
///
/// # Errors
/// `TypeError` for another object, `ValueError` for a number out of the type's range.
pub fn whole<T: Whole>(given: &Bound<'_, PyAny>) -> PyResult<T> {
    let (least, most) = T::RANGE;
    let out_of_range = || out_of_range(given, least, most);
    match given.extract::<i128>() {
        Ok(number) => T::try_from(number).map_err(|_| out_of_range()),
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => Err(out_of_range()),
        Err(error) if error.is_instance_of::<PyTypeError>(given.py()) => Err(no_number(given)),
        Err(error) => Err(error),
    }
}

/// Returns a number or `None`, for arguments that may be left out.
///
/// # Errors
/// As [`whole`].
pub fn whole_or_none<T: Whole>(given: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    if given.is_none() { Ok(None) } else { whole(given).map(Some) }
}

/// Returns a number of rows, as LIMIT takes it, for arguments.
///
/// # Errors
/// As [`whole`], and `ValueError` for a number below zero.
pub fn count(given: &Bound<'_, PyAny>) -> PyResult<i64> {
    let number: u64 = whole(given)?;
    i64::try_from(number).map_err(|_| out_of_range(given, 0, i64::MAX))
}

/// Returns a number above zero.
///
/// # Errors
/// As [`whole`], with the argument's name.
pub fn positive(given: &Bound<'_, PyAny>, name: &str) -> PyResult<usize> {
    match whole::<usize>(given) {
        Ok(number) if number > 0 => Ok(number),
        Err(error) if error.is_instance_of::<PyTypeError>(given.py()) => {
            Err(PyTypeError::new_err(format!("{name} is a whole number, 1 or more")))
        }
        _ => Err(PyValueError::new_err(format!("{name} is {}; give 1 or more", shown(given)))),
    }
}

fn out_of_range<T: Display>(given: &Bound<'_, PyAny>, least: T, most: T) -> PyErr {
    let given = shown(given);
    PyValueError::new_err(format!("{given} is out of range: give a whole number from {least} to {most}"))
}

/// Returns a number's text, which Python refuses for one of thousands of digits.
fn shown(given: &Bound<'_, PyAny>) -> String {
    given.str().map_or_else(|_| "this number".to_owned(), |text| text.to_string())
}

fn no_number(given: &Bound<'_, PyAny>) -> PyErr {
    let class = given.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("a {class} is no whole number"))
}

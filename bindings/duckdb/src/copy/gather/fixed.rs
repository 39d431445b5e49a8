//! Gatherers of values of fixed width.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, NullArray, PrimitiveArray,
};
use arrow::buffer::Buffer;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;

use super::{Gather, Nulls, Result};
use crate::sys::{Pod, Values};

/// Values that have the same form in DuckDB and in Arrow.
pub struct Same<T: ArrowPrimitiveType> {
    of: DataType,
    values: Vec<T::Native>,
    nulls: Nulls,
}

impl<T: ArrowPrimitiveType> Same<T> {
    pub fn new(of: &DataType) -> Self {
        Self { of: of.clone(), values: Vec::new(), nulls: Nulls::default() }
    }
}

impl<T: ArrowPrimitiveType> Gather for Same<T>
where
    T::Native: Pod,
{
    fn push(&mut self, values: &Values) -> Result {
        self.values.extend_from_slice(values.values());
        self.nulls.push(values);
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let values = std::mem::take(&mut self.values);
        self.values.reserve(values.len());
        let array = PrimitiveArray::<T>::try_new(values.into(), self.nulls.finish())?;
        Ok(Arc::new(array.with_data_type(self.of.clone())))
    }
}

/// Values that `make` converts; it returns the reason where it cannot.
pub struct Made<From, T: ArrowPrimitiveType> {
    of: DataType,
    make: fn(From) -> Result<T::Native>,
    values: Vec<T::Native>,
    nulls: Nulls,
}

impl<From, T: ArrowPrimitiveType> Made<From, T> {
    pub fn new(of: &DataType, make: fn(From) -> Result<T::Native>) -> Self {
        Self { of: of.clone(), make, values: Vec::new(), nulls: Nulls::default() }
    }
}

impl<From: Pod, T: ArrowPrimitiveType> Gather for Made<From, T> {
    fn push(&mut self, values: &Values) -> Result {
        let valid = values.validity();
        for (row, value) in values.values::<From>().iter().enumerate() {
            let is_null = valid.is_some_and(|valid| !valid.is_valid(row));
            self.values.push(if is_null { T::Native::default() } else { (self.make)(*value)? });
        }
        self.nulls.push(values);
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let values = std::mem::take(&mut self.values);
        let array = PrimitiveArray::<T>::try_new(values.into(), self.nulls.finish())?;
        Ok(Arc::new(array.with_data_type(self.of.clone())))
    }
}

/// Booleans, a byte each in DuckDB.
#[derive(Default)]
pub struct Booleans {
    values: Vec<bool>,
    nulls: Nulls,
}

impl Gather for Booleans {
    fn push(&mut self, values: &Values) -> Result {
        self.values.extend(values.values::<u8>().iter().map(|value| *value != 0));
        self.nulls.push(values);
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let values = std::mem::take(&mut self.values);
        Ok(Arc::new(BooleanArray::new(values.into(), self.nulls.finish())))
    }
}

/// Values of `N` bytes, each converted from 16 bytes.
pub struct Bytes<const N: usize> {
    make: fn([u8; 16]) -> Result<[u8; N]>,
    values: Vec<u8>,
    nulls: Nulls,
}

impl<const N: usize> Bytes<N> {
    pub fn new(make: fn([u8; 16]) -> Result<[u8; N]>) -> Self {
        Self { make, values: Vec::new(), nulls: Nulls::default() }
    }
}

impl<const N: usize> Gather for Bytes<N> {
    fn push(&mut self, values: &Values) -> Result {
        let valid = values.validity();
        for (row, value) in values.values::<[u8; 16]>().iter().enumerate() {
            let is_null = valid.is_some_and(|valid| !valid.is_valid(row));
            self.values.extend(if is_null { [0; N] } else { (self.make)(*value)? });
        }
        self.nulls.push(values);
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let values = Buffer::from_vec(std::mem::take(&mut self.values));
        Ok(Arc::new(FixedSizeBinaryArray::try_new(N as i32, values, self.nulls.finish())?))
    }
}

/// Nulls of a column without values.
#[derive(Default)]
pub struct Nothing(usize);

impl Gather for Nothing {
    fn push(&mut self, values: &Values) -> Result {
        self.0 += values.len();
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(Arc::new(NullArray::new(std::mem::take(&mut self.0))))
    }
}

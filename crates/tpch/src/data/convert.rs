//! Conversion of tpchgen's rows to Arrow columns, in the order of
//! [`Table::schema`](super::table::Table::schema).

use std::fmt::{Display, Write};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Date32Array, Decimal128Array, Int32Array, Int64Array, StringViewArray, StringViewBuilder,
};
use arrow::error::ArrowError;
use tpchgen::dates::TPCHDate;
use tpchgen::decimal::TPCHDecimal;
use tpchgen::generators::{Customer, LineItem, Nation, Order, Part, PartSupp, Region, Supplier};

/// The columns of one batch.
pub type Columns = Result<Vec<ArrayRef>, ArrowError>;

/// Returns the columns of some rows of lineitem.
pub fn lineitem(rows: &[LineItem<'_>]) -> Columns {
    Ok(vec![
        long(rows.iter().map(|r| r.l_orderkey)),
        long(rows.iter().map(|r| r.l_partkey)),
        long(rows.iter().map(|r| r.l_suppkey)),
        int(rows.iter().map(|r| r.l_linenumber)),
        // The generator counts whole items; the column is a decimal with two digits after the
        // point.
        money(rows.iter().map(|r| TPCHDecimal(r.l_quantity * 100)))?,
        money(rows.iter().map(|r| r.l_extendedprice))?,
        money(rows.iter().map(|r| r.l_discount))?,
        money(rows.iter().map(|r| r.l_tax))?,
        text(rows.iter().map(|r| r.l_returnflag)),
        text(rows.iter().map(|r| r.l_linestatus)),
        date(rows.iter().map(|r| r.l_shipdate)),
        date(rows.iter().map(|r| r.l_commitdate)),
        date(rows.iter().map(|r| r.l_receiptdate)),
        text(rows.iter().map(|r| r.l_shipinstruct)),
        text(rows.iter().map(|r| r.l_shipmode)),
        text(rows.iter().map(|r| r.l_comment)),
    ])
}

/// Returns the columns of some rows of orders.
pub fn orders(rows: &[Order<'_>]) -> Columns {
    Ok(vec![
        long(rows.iter().map(|r| r.o_orderkey)),
        long(rows.iter().map(|r| r.o_custkey)),
        text(rows.iter().map(|r| r.o_orderstatus.as_str())),
        money(rows.iter().map(|r| r.o_totalprice))?,
        date(rows.iter().map(|r| r.o_orderdate)),
        text(rows.iter().map(|r| r.o_orderpriority)),
        printed(rows.iter().map(|r| r.o_clerk))?,
        int(rows.iter().map(|r| r.o_shippriority)),
        text(rows.iter().map(|r| r.o_comment)),
    ])
}

/// Returns the columns of some rows of partsupp.
pub fn partsupp(rows: &[PartSupp<'_>]) -> Columns {
    Ok(vec![
        long(rows.iter().map(|r| r.ps_partkey)),
        long(rows.iter().map(|r| r.ps_suppkey)),
        int(rows.iter().map(|r| r.ps_availqty)),
        money(rows.iter().map(|r| r.ps_supplycost))?,
        text(rows.iter().map(|r| r.ps_comment)),
    ])
}

/// Returns the columns of some rows of part.
pub fn part(rows: &[Part<'_>]) -> Columns {
    Ok(vec![
        long(rows.iter().map(|r| r.p_partkey)),
        printed(rows.iter().map(|r| &r.p_name))?,
        printed(rows.iter().map(|r| r.p_mfgr))?,
        printed(rows.iter().map(|r| r.p_brand))?,
        text(rows.iter().map(|r| r.p_type)),
        int(rows.iter().map(|r| r.p_size)),
        text(rows.iter().map(|r| r.p_container)),
        money(rows.iter().map(|r| r.p_retailprice))?,
        text(rows.iter().map(|r| r.p_comment)),
    ])
}

/// Returns the columns of some rows of customer.
pub fn customer(rows: &[Customer<'_>]) -> Columns {
    Ok(vec![
        long(rows.iter().map(|r| r.c_custkey)),
        printed(rows.iter().map(|r| r.c_name))?,
        printed(rows.iter().map(|r| &r.c_address))?,
        long(rows.iter().map(|r| r.c_nationkey)),
        printed(rows.iter().map(|r| &r.c_phone))?,
        money(rows.iter().map(|r| r.c_acctbal))?,
        text(rows.iter().map(|r| r.c_mktsegment)),
        text(rows.iter().map(|r| r.c_comment)),
    ])
}

/// Returns the columns of some rows of supplier.
pub fn supplier(rows: &[Supplier]) -> Columns {
    Ok(vec![
        long(rows.iter().map(|r| r.s_suppkey)),
        printed(rows.iter().map(|r| r.s_name))?,
        printed(rows.iter().map(|r| &r.s_address))?,
        long(rows.iter().map(|r| r.s_nationkey)),
        printed(rows.iter().map(|r| &r.s_phone))?,
        money(rows.iter().map(|r| r.s_acctbal))?,
        text(rows.iter().map(|r| r.s_comment.as_str())),
    ])
}

/// Returns the columns of some rows of nation.
pub fn nation(rows: &[Nation<'_>]) -> Columns {
    Ok(vec![
        long(rows.iter().map(|r| r.n_nationkey)),
        text(rows.iter().map(|r| r.n_name)),
        long(rows.iter().map(|r| r.n_regionkey)),
        text(rows.iter().map(|r| r.n_comment)),
    ])
}

/// Returns the columns of some rows of region.
pub fn region(rows: &[Region<'_>]) -> Columns {
    Ok(vec![
        long(rows.iter().map(|r| r.r_regionkey)),
        text(rows.iter().map(|r| r.r_name)),
        text(rows.iter().map(|r| r.r_comment)),
    ])
}

fn long(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

fn int(values: impl Iterator<Item = i32>) -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(values))
}

fn date(values: impl Iterator<Item = TPCHDate>) -> ArrayRef {
    Arc::new(Date32Array::from_iter_values(values.map(|d| d.to_unix_epoch())))
}

fn money(values: impl Iterator<Item = TPCHDecimal>) -> Result<ArrayRef, ArrowError> {
    let array = Decimal128Array::from_iter_values(values.map(|d| i128::from(d.into_inner())));
    Ok(Arc::new(array.with_precision_and_scale(15, 2)?))
}

fn text<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringViewArray::from_iter_values(values))
}

/// Text that tpchgen only offers through `Display`; one buffer serves every row.
fn printed(values: impl Iterator<Item = impl Display>) -> Result<ArrayRef, ArrowError> {
    let mut builder = StringViewBuilder::with_capacity(values.size_hint().0);
    let mut buffer = String::new();
    for value in values {
        buffer.clear();
        write!(buffer, "{value}").map_err(|e| ArrowError::ExternalError(Box::new(e)))?;
        builder.append_value(&buffer);
    }
    Ok(Arc::new(builder.finish()))
}

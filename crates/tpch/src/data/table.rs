//! The eight tables of TPC-H: names, sizes and the Arrow schemas they are stored with.
//!
//! Types are those of the tpchgen project's own Parquet files: keys are 64-bit integers, other
//! integers 32-bit, money and rates `decimal(15, 2)` (stored as INT64), dates `date32`, text
//! `utf8view`.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

/// Approximate number of rows in a row group: parquet-rs's default, as in files of other writers. A
/// thread generates one row group at a time and holds it in memory, encoded.
const ROW_GROUP_ROWS: u64 = 1 << 20;

/// A table of TPC-H.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Line items: the largest table, about 6,000,000 rows times the scale factor.
    Lineitem,
    /// Orders: 1,500,000 rows times the scale factor.
    Orders,
    /// Suppliers of parts: 800,000 rows times the scale factor.
    Partsupp,
    /// Parts: 200,000 rows times the scale factor.
    Part,
    /// Customers: 150,000 rows times the scale factor.
    Customer,
    /// Suppliers: 10,000 rows times the scale factor.
    Supplier,
    /// The 25 nations.
    Nation,
    /// The 5 regions.
    Region,
}

impl Table {
    /// Every table, largest first: the order in which they are generated, so that threads end
    /// together.
    pub const ALL: [Table; 8] = [
        Table::Lineitem,
        Table::Orders,
        Table::Partsupp,
        Table::Part,
        Table::Customer,
        Table::Supplier,
        Table::Nation,
        Table::Region,
    ];

    /// Returns the table's name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Table::Lineitem => "lineitem",
            Table::Orders => "orders",
            Table::Partsupp => "partsupp",
            Table::Part => "part",
            Table::Customer => "customer",
            Table::Supplier => "supplier",
            Table::Nation => "nation",
            Table::Region => "region",
        }
    }

    /// Returns the table's file in a data set's folder.
    pub fn file_name(self) -> String {
        format!("{}.parquet", self.name())
    }

    /// Returns the number of rows at a scale factor. It is exact except for lineitem, where orders
    /// have a random number of lines: there it is proportional to the known count, within a percent
    /// from 0.01 on.
    pub fn expected_rows(self, scale_factor: f64) -> u64 {
        let per_scale_factor = match self {
            Table::Lineitem => 6_001_215.0,
            Table::Orders => 1_500_000.0,
            Table::Partsupp => 800_000.0,
            Table::Part => 200_000.0,
            Table::Customer => 150_000.0,
            Table::Supplier => 10_000.0,
            Table::Nation => return 25,
            Table::Region => return 5,
        };
        (per_scale_factor * scale_factor) as u64
    }

    /// Returns the number of row groups of the table's file at a scale factor.
    pub fn row_groups(self, scale_factor: f64) -> u32 {
        let parts = self.expected_rows(scale_factor).div_ceil(ROW_GROUP_ROWS).max(1);
        u32::try_from(parts).unwrap_or(u32::MAX)
    }

    /// Returns the table's columns, in the order of the specification.
    pub fn schema(self) -> SchemaRef {
        use DataType::{Date32, Int32, Int64};
        let text = || DataType::Utf8View;
        let money = || DataType::Decimal128(15, 2);
        let columns = match self {
            Table::Lineitem => vec![
                ("l_orderkey", Int64),
                ("l_partkey", Int64),
                ("l_suppkey", Int64),
                ("l_linenumber", Int32),
                ("l_quantity", money()),
                ("l_extendedprice", money()),
                ("l_discount", money()),
                ("l_tax", money()),
                ("l_returnflag", text()),
                ("l_linestatus", text()),
                ("l_shipdate", Date32),
                ("l_commitdate", Date32),
                ("l_receiptdate", Date32),
                ("l_shipinstruct", text()),
                ("l_shipmode", text()),
                ("l_comment", text()),
            ],
            Table::Orders => vec![
                ("o_orderkey", Int64),
                ("o_custkey", Int64),
                ("o_orderstatus", text()),
                ("o_totalprice", money()),
                ("o_orderdate", Date32),
                ("o_orderpriority", text()),
                ("o_clerk", text()),
                ("o_shippriority", Int32),
                ("o_comment", text()),
            ],
            Table::Partsupp => vec![
                ("ps_partkey", Int64),
                ("ps_suppkey", Int64),
                ("ps_availqty", Int32),
                ("ps_supplycost", money()),
                ("ps_comment", text()),
            ],
            Table::Part => vec![
                ("p_partkey", Int64),
                ("p_name", text()),
                ("p_mfgr", text()),
                ("p_brand", text()),
                ("p_type", text()),
                ("p_size", Int32),
                ("p_container", text()),
                ("p_retailprice", money()),
                ("p_comment", text()),
            ],
            Table::Customer => vec![
                ("c_custkey", Int64),
                ("c_name", text()),
                ("c_address", text()),
                ("c_nationkey", Int64),
                ("c_phone", text()),
                ("c_acctbal", money()),
                ("c_mktsegment", text()),
                ("c_comment", text()),
            ],
            Table::Supplier => vec![
                ("s_suppkey", Int64),
                ("s_name", text()),
                ("s_address", text()),
                ("s_nationkey", Int64),
                ("s_phone", text()),
                ("s_acctbal", money()),
                ("s_comment", text()),
            ],
            Table::Nation => vec![
                ("n_nationkey", Int64),
                ("n_name", text()),
                ("n_regionkey", Int64),
                ("n_comment", text()),
            ],
            Table::Region => vec![("r_regionkey", Int64), ("r_name", text()), ("r_comment", text())],
        };
        let fields: Vec<Field> =
            columns.into_iter().map(|(name, kind)| Field::new(name, kind, false)).collect();
        Arc::new(Schema::new(fields))
    }
}

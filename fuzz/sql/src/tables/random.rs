//! Random tables: small domains, so that keys meet, with values at the ends of their types now and
//! then.

use pelton_random::Random;

use super::{Column, Encoding, Layout, Storage, Table, Unit, Value};

/// Texts that columns and constants share: empty ones, wildcards, characters of several bytes.
pub const WORDS: [&str; 14] = [
    "",
    "a",
    "A",
    "ab",
    "abc",
    "b a",
    "éa",
    "日本語",
    "100%",
    "un_der",
    "12",
    "-7",
    "a longer text than a view holds inside",
    "zz",
];

/// Numbers of rows of tables. Most are small: a failure in many rows mostly occurs in few too.
const ROWS: [usize; 12] = [0, 1, 5, 12, 12, 30, 30, 30, 60, 60, 200, 1500];

/// Rows of a table of several batches, which is seldom.
const MANY: usize = 20_000;

const MICROS_A_DAY: i128 = 86_400_000_000;

/// 0001-01-01 and 9999-12-31 in days of 1970.
const FIRST_DAY: i128 = -719_162;
const LAST_DAY: i128 = 2_932_896;

/// Random tables, named `t0` and on.
pub fn tables(random: &mut Random) -> Vec<Table> {
    let extreme = random.chance(0.15);
    let count = 2 + random.below(2);
    (0..count).map(|index| table(random, format!("t{index}"), extreme)).collect()
}

fn table(random: &mut Random, name: String, extreme: bool) -> Table {
    let rows = if random.chance(0.015) { MANY } else { *random.pick(&ROWS) };
    let nulls = *random.pick(&[0.0, 0.05, 0.1, 0.1, 0.1, 0.3, 0.9]);
    let mut columns = vec![
        column(random, "id".to_owned(), Storage::Int(64), vec![]),
        column(random, "g".to_owned(), Storage::Int(32), vec![]),
    ];
    columns[0].values = (0..rows as i128).map(|row| Some(Value::Whole(row))).collect();
    columns[0].nullable = false;
    let groups = 1 + random.below(8);
    columns[1].values =
        (0..rows).map(|_| some(random, nulls, |r| Value::Whole(r.below(groups) as i128))).collect();
    for index in 0..3 + random.below(6) {
        let storage = storage(random, 2);
        let required = random.chance(0.15);
        let nulls = if required { 0.0 } else { nulls };
        // statistics and encodings gain from ordered values that differ little within a page
        let sorted = random.chance(0.2);
        let mut values: Vec<_> =
            (0..rows).map(|_| some(random, nulls, |random| value(random, &storage, extreme))).collect();
        if sorted {
            values.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
        }
        let mut column = column(random, format!("c{index}"), storage, values);
        column.nullable = !required;
        columns.push(column);
    }
    Table { name, layout: Layout::random(random, rows), columns }
}

/// Returns a key that sorts numbers, and leaves all else where it is.
fn order(value: &Option<Value>) -> f64 {
    match value {
        Some(Value::Whole(value)) => *value as f64,
        Some(Value::Float(value)) if !value.is_nan() => *value,
        _ => f64::NEG_INFINITY,
    }
}

fn column(random: &mut Random, name: String, storage: Storage, values: Vec<Option<Value>>) -> Column {
    let encoding = Encoding::random(random, &storage);
    Column { name, encoding, dictionary: random.chance(0.6), storage, nullable: true, values }
}

fn some(random: &mut Random, nulls: f64, value: impl FnOnce(&mut Random) -> Value) -> Option<Value> {
    (!random.chance(nulls)).then(|| value(random))
}

fn storage(random: &mut Random, depth: usize) -> Storage {
    let unit = *random.pick(&[Unit::Millis, Unit::Micros, Unit::Micros, Unit::Nanos]);
    match random.below(if depth > 0 { 26 } else { 22 }) {
        0 => Storage::Bool,
        1..=2 => Storage::Int(*random.pick(&[8, 16, 32])),
        3..=4 => Storage::Int(64),
        5 => Storage::UInt(*random.pick(&[8, 16, 32, 64])),
        6 => Storage::Float,
        7..=8 => Storage::Double,
        9..=11 => {
            // beside more digits behind the point than these, DuckDB rounds
            let scale = *random.pick(&[0, 1, 2, 2, 4]);
            Storage::Decimal(if scale == 4 { 38 } else { *random.pick(&[4, 9, 12, 18, 25]) }, scale)
        }
        12..=14 => Storage::Text,
        15 => {
            if random.chance(0.7) {
                Storage::Bytes
            } else {
                Storage::Fixed(3)
            }
        }
        16..=17 => Storage::Date,
        // DuckDB does not mix times of nanoseconds with others
        18 => Storage::Time(if unit == Unit::Nanos && random.chance(0.7) { Unit::Micros } else { unit }),
        19..=20 => Storage::Stamp(unit, false),
        21 => Storage::Stamp(unit, true),
        22..=24 => Storage::List(Box::new(storage(random, depth - 1))),
        _ => {
            let field = |index: usize| (format!("f{index}"), storage(random, depth - 1));
            Storage::Struct((0..2).map(field).collect())
        }
    }
}

/// Returns a random value of a type, at the ends of it if `extreme` says so.
fn value(random: &mut Random, storage: &Storage, extreme: bool) -> Value {
    let end = extreme && random.chance(0.1);
    let small = random.below(24) as i128 - 6;
    match storage {
        Storage::Bool => Value::Bool(random.chance(0.5)),
        Storage::Int(bits) => {
            let max = (1i128 << (bits - 1)) - 1;
            Value::Whole(if end { *random.pick(&[max, -max - 1]) } else { small })
        }
        Storage::UInt(bits) => Value::Whole(if end { (1i128 << bits) - 1 } else { small.abs() }),
        Storage::Float | Storage::Double => Value::Float(float(random, end)),
        Storage::Decimal(precision, _) => {
            let max = 10i128.pow(u32::from(*precision)) - 1;
            let usual = random.below(900) as i128 - 200;
            Value::Whole(if end { *random.pick(&[max, -max]) } else { usual })
        }
        Storage::Text => Value::Text(text(random)),
        Storage::Bytes => {
            let length = random.below(4);
            Value::Bytes((0..length).map(|_| *random.pick(&[0, 1, b'a', 255])).collect())
        }
        Storage::Fixed(size) => Value::Bytes((0..*size).map(|_| *random.pick(&[0, 1, b'a', 255])).collect()),
        Storage::Date => Value::Whole(day(random)),
        Storage::Time(unit) => {
            let micros = match random.below(4) {
                0 => 0,
                1 => MICROS_A_DAY / 2,
                2 => MICROS_A_DAY - 1_000,
                _ => random.below(86_400) as i128 * 1_000_000 + 500_000,
            };
            Value::Whole(in_unit(micros, *unit))
        }
        Storage::Stamp(unit, _) => {
            let day = match unit {
                Unit::Nanos => 18_000 + random.below(3_000) as i128,
                _ => day(random),
            };
            let part = *random.pick(&[0, 1_000, 3_600_000_000, 45_296_123_000, MICROS_A_DAY - 1_000]);
            Value::Whole(in_unit(day * MICROS_A_DAY + part, *unit))
        }
        Storage::List(element) => {
            let length = random.below(4);
            Value::Parts((0..length).map(|_| some(random, 0.15, |r| value(r, element, extreme))).collect())
        }
        Storage::Struct(fields) => {
            Value::Parts(fields.iter().map(|(_, of)| some(random, 0.15, |r| value(r, of, extreme))).collect())
        }
    }
}

/// Returns quarters, which have exact sums in any order, and special values.
fn float(random: &mut Random, end: bool) -> f64 {
    match random.below(12) {
        _ if end => *random.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0]),
        0 => -0.0,
        1 => 0.0,
        _ => random.below(200) as f64 / 4.0 - 20.0,
    }
}

fn text(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("{}{}", random.pick(&WORDS), random.pick(&WORDS)),
        1 => format!("{}{}", random.pick(&WORDS), random.below(30)),
        _ => random.pick(&WORDS).to_string(),
    }
}

fn day(random: &mut Random) -> i128 {
    match random.below(12) {
        0 => *random.pick(&[FIRST_DAY, LAST_DAY, -135_140, 0, -1, 11_016, 106_751, 106_752, -106_752]),
        _ => 18_300 + random.below(900) as i128,
    }
}

fn in_unit(micros: i128, unit: Unit) -> i128 {
    match unit {
        Unit::Millis => micros.div_euclid(1_000),
        Unit::Micros => micros,
        Unit::Nanos => micros * 1_000,
    }
}

//! Pelton as a loadable extension of DuckDB.

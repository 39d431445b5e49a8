"""Uses Python's database interface (PEP 249): statements with parameters, cursors and rows.

    pip install ./bindings/python
    python examples/python/database_interface.py
"""

import pelton.dbapi

with pelton.dbapi.connect(threads=2) as connection:
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE trips (city VARCHAR, price DECIMAL(8, 2))")
    cursor.executemany("INSERT INTO trips VALUES (?, ?)", [("Bern", 1.5), ("Oslo", 2.5), ("Bern", 3.0)])
    print(f"{cursor.rowcount} trips")

    # Values take the place of constants, so that no text of a value is read as SQL.
    cursor.execute("SELECT city, sum(price) FROM trips WHERE price > $least GROUP BY ALL ORDER BY ALL", {"least": 1})
    for city, amount in cursor:
        print(f"{city}: {amount}")

    # The connection below has what PEP 249 does not, such as queries over results.
    print(connection.pelton.table("trips").filter("city = 'Bern'").aggregate("max(price)").fetchone())
    try:
        cursor.execute("SELECT * FROM trip")
    except pelton.dbapi.ProgrammingError as error:
        print(error)

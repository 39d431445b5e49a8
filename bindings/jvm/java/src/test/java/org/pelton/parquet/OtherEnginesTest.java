package org.pelton.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pelton.Pelton;

/**
 * Files of {@link PeltonParquet}'s codecs, read by DuckDB and pyarrow, and theirs read here.
 *
 * <p>Both are packages of the Python in {@code .venv}, or of the one that the property {@code
 * pelton.test.python} names.
 */
class OtherEnginesTest {
    private static final int ROWS = 50000;

    /** Reads a file by both engines, and writes one by each. */
    private static final String PROGRAM =
            "import sys, duckdb, pyarrow.parquet as parquet\n"
                    + "ours, folder, codec = sys.argv[1:]\n"
                    + "table = parquet.read_table(ours)\n"
                    + "rows = duckdb.sql(f\"from '{ours}'\").fetchall()\n"
                    + "assert len(rows) == int(table.num_rows) == 50000\n"
                    + "assert rows == [tuple(row.values()) for row in table.to_pylist()], 'the engines differ'\n"
                    + "assert [row[0] for row in rows] == list(range(50000)), 'other rows'\n"
                    + "name = {'GZIP': 'gzip', 'SNAPPY': 'snappy', 'LZ4_RAW': 'lz4'}[codec]\n"
                    + "parquet.write_table(table, folder + '/pyarrow', compression=name)\n"
                    + "duckdb.sql(f\"copy (from '{ours}') to '{folder}/duckdb' (format parquet, codec {codec})\")\n";

    @AfterEach
    void uninstall() {
        PeltonParquet.uninstall();
    }

    @Test
    void duckdbAndPyarrowReadOursAndWeReadTheirs(@TempDir Path folder) throws Exception {
        Path python = Paths.get(System.getProperty("pelton.test.python", "../../../.venv/bin/python"));
        assumeTrue(isThere(python), "skipped: " + python + " has no duckdb and pyarrow: make rivals");
        for (CompressionCodecName codec : new CompressionCodecName[] {
            CompressionCodecName.GZIP, CompressionCodecName.LZ4_RAW, CompressionCodecName.SNAPPY
        }) {
            assertNull(PeltonParquet.install());
            Path ours = folder.resolve("ours" + codec + ".parquet");
            ParquetTest.write(ours, new Configuration(), codec, ROWS);
            Path theirs = Files.createDirectory(folder.resolve(codec.name()));
            run(python, PROGRAM, ours.toString(), theirs.toString(), codec.name());
            for (String engine : new String[] {"pyarrow", "duckdb"}) {
                long before = PeltonParquet.decompressedPages();
                assertEquals(ROWS, ParquetTest.check(theirs.resolve(engine), ROWS));
                boolean isServed = codec == CompressionCodecName.GZIP || Pelton.isAvailable();
                assertEquals(isServed, PeltonParquet.decompressedPages() > before, codec + " of " + engine);
            }
        }
    }

    private static boolean isThere(Path python) throws Exception {
        return Files.isExecutable(python)
                && new ProcessBuilder(python.toString(), "-c", "import duckdb, pyarrow").start().waitFor() == 0;
    }

    private static void run(Path python, String program, String... arguments) throws Exception {
        String[] command = new String[arguments.length + 3];
        command[0] = python.toString();
        command[1] = "-c";
        command[2] = program;
        System.arraycopy(arguments, 0, command, 3, arguments.length);
        Path log = Files.createTempFile("pelton-engines", ".log");
        int code = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor();
        String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        Files.delete(log);
        assertTrue(code == 0, text);
    }
}

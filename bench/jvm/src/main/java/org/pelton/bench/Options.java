package org.pelton.bench;

import java.util.LinkedHashMap;
import java.util.Map;

/** Options of a benchmark: {@code --name value}. */
final class Options {
    private final String program;
    private final String help;
    private final Map<String, String> values = new LinkedHashMap<>();

    /**
     * Declares options.
     *
     * @param program name of the class, for the help
     * @param help text with a line for each option, and examples
     * @param defaults all names, each followed by its default
     */
    Options(String program, String help, String... defaults) {
        this.program = program;
        this.help = help;
        for (int i = 0; i < defaults.length; i += 2) {
            values.put(defaults[i], defaults[i + 1]);
        }
    }

    /**
     * Reads the arguments. Returns whether the benchmark should run: {@code --help} prints the help
     * instead. An unknown name or a name without a value ends the program.
     */
    boolean read(String[] arguments) {
        for (int i = 0; i < arguments.length; i += 2) {
            if (arguments[i].equals("--help")) {
                System.out.println("usage: " + program + " [--OPTION VALUE]...\n\n" + help);
                return false;
            }
            boolean isKnown = arguments[i].startsWith("--") && values.containsKey(arguments[i].substring(2));
            if (!isKnown || i + 1 == arguments.length) {
                System.err.println(arguments[i] + " is not an option with a value: " + program + " --help lists them");
                System.exit(2);
            }
            values.put(arguments[i].substring(2), arguments[i + 1]);
        }
        return true;
    }

    /** Returns an option's value, or an empty text. */
    String text(String name) {
        return values.get(name);
    }

    /** Returns the value of an option that is a number. */
    int number(String name) {
        return Integer.parseInt(values.get(name));
    }

    /** Returns the elements of an option, between commas. */
    String[] list(String name) {
        return values.get(name).split(",");
    }

    /** Returns the command line, for a record. */
    String command() {
        StringBuilder text = new StringBuilder("java org.pelton.bench." + program);
        values.forEach((name, value) -> text.append(value.isEmpty() ? "" : " --" + name + " " + value));
        return text.toString();
    }
}

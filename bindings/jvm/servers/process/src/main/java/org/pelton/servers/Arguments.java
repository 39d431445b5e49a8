package org.pelton.servers;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Options of a benchmark: {@code --name value}. */
public final class Arguments {
    private final Map<String, String> values = new LinkedHashMap<>();

    /**
     * Reads options.
     *
     * @param defaults all names, each followed by its default
     * @throws IllegalArgumentException for an unknown name or a name without a value
     */
    public Arguments(String[] given, String... defaults) {
        for (int i = 0; i < defaults.length; i += 2) {
            values.put(defaults[i], defaults[i + 1]);
        }
        for (int i = 0; i < given.length; i += 2) {
            if (!given[i].startsWith("--") || !values.containsKey(given[i].substring(2)) || i + 1 == given.length) {
                throw new IllegalArgumentException(given[i] + " is no option with a value: the options are " + values);
            }
            values.put(given[i].substring(2), given[i + 1]);
        }
    }

    /** Returns the value of an option. */
    public String text(String name) {
        return values.get(name);
    }

    /** Returns the value of an option that is a number. */
    public int number(String name) {
        return Integer.parseInt(values.get(name));
    }

    /** Returns the elements of an option with commas. */
    public List<String> list(String name) {
        return List.of(values.get(name).split(","));
    }

    @Override
    public String toString() {
        return values.toString();
    }
}

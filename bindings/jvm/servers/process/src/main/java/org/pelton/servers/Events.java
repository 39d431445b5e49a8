package org.pelton.servers;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.UUID;

/**
 * Generator of events of an online shop as JSON, of about 1 KB each. An event follows from its
 * number alone, so that a reader can compare what it got.
 */
public final class Events {
    private static final long SEED = 20260101;
    private static final int WORDS = 4000;
    private static final String[] KINDS = {"page_view", "search", "add_to_cart", "checkout", "payment", "refund"};
    private static final String[] COUNTRIES = {"DE", "FR", "US", "BR", "IN", "JP", "KE", "AU", "CA", "PL"};
    private static final String[] SYSTEMS = {
        "Windows NT 10.0; Win64; x64", "X11; Linux x86_64",
        "Macintosh; Intel Mac OS X 10_15_7", "Linux; Android 14; Pixel 8",
    };
    private static final String[] SYLLABLES = {
        "an", "ber", "co", "del", "en", "fi", "gar", "ho", "in", "jo", "kal", "lu", "mer", "no", "os", "per", "qua",
        "ri", "sol", "ta", "un", "ver", "wi", "xe", "yor", "zu",
    };

    private final String[] words = new String[WORDS];

    /** A generator; all of them make the same events. */
    public Events() {
        Random random = new Random(SEED);
        for (int i = 0; i < WORDS; i++) {
            StringBuilder word = new StringBuilder();
            for (int syllables = 1 + random.nextInt(4); syllables > 0; syllables--) {
                word.append(SYLLABLES[random.nextInt(SYLLABLES.length)]);
            }
            words[i] = word.toString();
        }
    }

    /** Returns an event in UTF-8. */
    public byte[] event(long number) {
        return text(number).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns an event. */
    public String text(long number) {
        Random random = random(number);
        StringBuilder json = new StringBuilder(1200);
        int user = (int) Math.abs(random.nextGaussian() * 20000);
        json.append("{\"event_id\":\"").append(new UUID(random.nextLong(), random.nextLong()));
        json.append("\",\"sequence\":").append(number);
        json.append(",\"time_ms\":").append(1_767_225_600_000L + number * 37 + random.nextInt(1000));
        json.append(",\"kind\":\"").append(KINDS[random.nextInt(KINDS.length)]);
        json.append("\",\"user\":{\"id\":").append(user).append(",\"name\":\"").append(words[user % WORDS]);
        json.append("\",\"country\":\"").append(COUNTRIES[user % COUNTRIES.length]);
        json.append("\",\"address\":\"10.").append(user % 251).append('.').append(random.nextInt(256)).append('.');
        json.append(random.nextInt(256)).append("\"},\"agent\":\"Mozilla/5.0 (").append(SYSTEMS[user % SYSTEMS.length]);
        json.append(") AppleWebKit/537.36 Chrome/").append(120 + user % 9).append(".0.").append(random.nextInt(7000));
        json.append("\",\"url\":\"https://shop.example/").append(word(random)).append('/').append(word(random));
        json.append("?q=").append(word(random)).append("&page=").append(random.nextInt(20)).append("\",\"items\":[");
        for (int items = random.nextInt(5); items >= 0; items--) {
            json.append("{\"sku\":\"").append(word(random)).append('-').append(random.nextInt(100_000));
            json.append("\",\"quantity\":").append(1 + random.nextInt(4)).append(",\"price\":");
            json.append(random.nextInt(500)).append('.').append(10 + random.nextInt(90));
            json.append(items == 0 ? "}" : "},");
        }
        json.append("],\"text\":\"");
        for (int count = 20 + random.nextInt(80); count > 0; count--) {
            json.append(word(random)).append(count == 1 ? '.' : ' ');
        }
        return json.append("\"}").toString();
    }

    /** Returns bytes that don't compress. */
    public byte[] noise(long number, int length) {
        byte[] bytes = new byte[length];
        random(number).nextBytes(bytes);
        return bytes;
    }

    /** Returns a source of numbers that follow from {@code number}. */
    public static Random random(long number) {
        return new Random(SEED ^ number * 0x9E37_79B9_7F4A_7C15L);
    }

    private String word(Random random) {
        double uniform = random.nextDouble();
        return words[(int) (uniform * uniform * uniform * WORDS)];
    }
}

import java.io.File;

/**
 * Writes compressed files of all kinds into a folder, or reads and checks them; prints their
 * number.
 */
public class Exchange {
    public static void main(String[] arguments) throws Exception {
        File folder = new File(arguments[1]);
        boolean write = arguments[0].equals("write");
        int count = 0;
        for (Samples sample : Samples.all()) {
            count += new Streams(folder, sample, write).run();
            count += new Files(folder, sample, write).run();
        }
        System.out.println(count);
    }
}

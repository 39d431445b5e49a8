// Inflates raw DEFLATE streams with compress/flate and compares them with what they were made of: see inflate.py.
package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	streams := 0
	for ; len(data) > 0; streams++ {
		plainLen, packedLen := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		plain := data[8:][:plainLen]
		packed := bytes.NewReader(data[8+plainLen:][:packedLen])
		// A bytes.Reader is an io.ByteReader, of which no more is taken than the stream has.
		found, err := io.ReadAll(flate.NewReader(packed))
		if err != nil || !bytes.Equal(found, plain) || packed.Len() != 0 {
			fail(fmt.Sprintf("stream %d, of %d bytes: %d bytes came out, %d are left: %v",
				streams, plainLen, len(found), packed.Len(), err))
		}
		data = data[8+plainLen+packedLen:]
	}
	fmt.Println(streams)
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}

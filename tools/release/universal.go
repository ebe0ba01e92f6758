package main

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"fmt"
)

// universalAlign is the alignment of a program within a universal one, as a power of two:
// a page of memory on Apple's processors.
const universalAlign = 14

// universal joins programs for macOS into one that runs on the processors of all: the
// format of <mach-o/fat.h>.
func universal(programs ...[]byte) ([]byte, error) {
	headers := []uint32{macho.MagicFat, uint32(len(programs))}
	offset := aligned(8 + 20*len(programs))
	for _, program := range programs {
		parsed, err := macho.NewFile(bytes.NewReader(program))
		if err != nil {
			return nil, fmt.Errorf("not a program for macOS: %w", err)
		}
		headers = append(headers, uint32(parsed.Cpu), parsed.SubCpu, uint32(offset), uint32(len(program)), universalAlign)
		offset = aligned(offset + len(program))
	}
	var out bytes.Buffer
	if err := binary.Write(&out, binary.BigEndian, headers); err != nil {
		return nil, err
	}
	for _, program := range programs {
		out.Write(make([]byte, aligned(out.Len())-out.Len()))
		out.Write(program)
	}
	return out.Bytes(), nil
}

func aligned(n int) int { return (n + 1<<universalAlign - 1) &^ (1<<universalAlign - 1) }

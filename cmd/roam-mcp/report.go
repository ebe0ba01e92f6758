package main

import (
	"errors"
	"fmt"
	"os"
)

// writeReport keeps the report of a fault in a file of its own, readable by its
// owner alone.
func writeReport(folder string, report []byte) (path string, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the report: %w", err)
	}
	file, err := os.CreateTemp(folder, "roam-mcp-report-*.txt") // mode 0600
	if err != nil {
		return "", fmt.Errorf("make the report: %w", err)
	}
	_, err = file.Write(report)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	return file.Name(), nil
}

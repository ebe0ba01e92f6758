package main

import (
	"fmt"
	"os"

	"roam-mcp/internal/files"
)

// writeReport keeps the report of a fault in a file of its own, readable by its
// owner alone.
func writeReport(folder string, report []byte) (path string, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the report: %w", err)
	}
	if path, err = files.WriteNew(folder, "roam-mcp-report-*.txt", report); err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	return path, nil
}

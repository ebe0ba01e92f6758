// Package atomicfile replaces small files so that a reader, or a machine that
// stops at any moment, sees the old content or the new, never a part of one.
package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
)

// Write replaces the content of path, which is then readable by its owner only.
// The folder must exist. When Write returns nil the content is on disk.
func Write(path string, data []byte) (err error) {
	folder := filepath.Dir(path)
	file, err := os.CreateTemp(folder, "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	if _, err = file.Write(data); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	if err = file.Sync(); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	if err = file.Close(); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	syncFolder(folder)
	return nil
}

// syncFolder makes the rename durable where the file system lets folders be
// synced; some do not, and there is nothing better to do on those.
func syncFolder(path string) {
	folder, err := os.Open(path)
	if err != nil {
		return
	}
	defer folder.Close()
	_ = folder.Sync()
}

//go:build !unix

package files

import (
	"io/fs"
	"os"
	"time"
)

// HasOtherOwner reports whether a file or folder belongs to another user than the
// one as whom this process runs. It is false where the system does not tell.
func HasOtherOwner(fs.FileInfo) bool { return false }

func keepOwnerAndMode(*os.File, fs.FileInfo) error { return nil }

// rename tries for a while: Windows refuses to replace a file that another
// process has open at this moment.
func rename(from, to string) error {
	const (
		patience = 2 * time.Second
		pause    = 10 * time.Millisecond
	)
	deadline := time.Now().Add(patience)
	for {
		err := os.Rename(from, to)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}

// syncFolder does nothing: a folder can't be synced here.
func syncFolder(string) error { return nil }

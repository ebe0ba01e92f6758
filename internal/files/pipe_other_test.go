//go:build !unix

package files

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }

//go:build !unix

package regularfile

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }

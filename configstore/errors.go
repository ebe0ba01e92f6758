package configstore

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
)

// The codes of this package's errors and problems.
const (
	CodeConfigInvalid      problem.Code = "CONFIG_INVALID"       // not JSON, or not of the file's shape
	CodeConfigTooNew       problem.Code = "CONFIG_TOO_NEW"       // a version above ours
	CodeConfigNotFound     problem.Code = "CONFIG_NOT_FOUND"     // ReadOfficial: there is no such file
	CodeConfigUnreadable   problem.Code = "CONFIG_UNREADABLE"    // there, but can't be read
	CodeConfigUnwritable   problem.Code = "CONFIG_UNWRITABLE"    // read-only folder, full disk, another owner
	CodeConfigLocked       problem.Code = "CONFIG_LOCKED"        // another process holds the lock
	CodeNicknameTaken      problem.Code = "NICKNAME_TAKEN"       // another graph has it; also a problem
	CodeNicknameInvalid    problem.Code = "NICKNAME_INVALID"     // empty, too long, control characters
	CodeGraphNotConfigured problem.Code = "GRAPH_NOT_CONFIGURED" // no entry has that nickname or name
	CodeGraphConfigured    problem.Code = "GRAPH_CONFIGURED"     // PutBack: the graph is there again; also a problem
	CodeEntryInvalid       problem.Code = "ENTRY_INVALID"        // an entry that can't be used; also a problem
	CodeNoToken            problem.Code = "NO_TOKEN"             // problem: an entry that has all but a token
	CodeGraphShadowed      problem.Code = "GRAPH_SHADOWED"       // problem: offline graph beside a hosted one of its name
	CodeHistoryInvalid     problem.Code = "HISTORY_INVALID"      // a setting of the history that can't be understood; also a problem
	CodeConfigModeOpen     problem.Code = "CONFIG_MODE_OPEN"     // problem: other users of the machine can read the file
)

var errOtherOwner = files.ErrOtherOwner

func unreadable(path string, err error) error {
	e := &problem.Error{Code: CodeConfigUnreadable, Place: &problem.Place{Path: path}, Err: err}
	switch {
	case errors.Is(err, fs.ErrPermission):
		e.Message = fmt.Sprintf("%s can't be read: permission denied.", path)
		e.Hint = problem.Say("Make the file yours: check its owner and its mode.")
	case errors.Is(err, syscall.ELOOP), errors.Is(err, files.ErrTooManyLinks):
		e.Message = fmt.Sprintf("%s is a symbolic link that leads back to itself.", path)
		e.Hint = problem.Say("Remove the link, or point it at a file.")
	default:
		e.Message = fmt.Sprintf("%s can't be read: %v.", path, cause(err))
		e.Hint = problem.Say("Check the file, or choose another one with --config.")
	}
	return e
}

// unwritable explains why target could not be replaced. The file is then as it
// was before.
func unwritable(target string, err error) error {
	folder := filepath.Dir(target)
	e := &problem.Error{Code: CodeConfigUnwritable, Place: &problem.Place{Path: target}, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Message = fmt.Sprintf("%s can't be written: the folder %s does not exist.", target, folder)
		e.Hint = problem.Say("Create the folder, or choose another file with --config.")
	case errors.Is(err, errOtherOwner):
		e.Message = fmt.Sprintf("%s can't be written: it belongs to another user.", target)
		e.Hint = problem.Say("Run roam-mcp as that user, or make the file yours.")
	case errors.Is(err, fs.ErrPermission):
		e.Message = fmt.Sprintf("%s can't be written: permission denied.", target)
		e.Hint = problem.Say("Check the owner and the mode of the folder %s and of the files in it that begin with the same name.", folder)
	case errors.Is(err, syscall.EROFS):
		e.Message = fmt.Sprintf("%s can't be written: it is on a read-only file system.", target)
		e.Hint = problem.Say("Choose another file with --config.")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Message = fmt.Sprintf("%s can't be written: the disk is full.", target)
		e.Hint = problem.Say("Make some room and try again.")
	case errors.Is(err, syscall.EBUSY):
		e.Message = fmt.Sprintf("%s can't be replaced: it is in use, or mounted by itself.", target)
		e.Hint = problem.Say("In a container, mount the folder that holds the file instead of the file.")
	default:
		e.Message = fmt.Sprintf("%s can't be written: %v.", target, cause(err))
		e.Hint = problem.Say("Try again, or choose another file with --config.")
	}
	return e
}

// cause drops the operation and the path of an operating system error, which
// the message names already.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

func graphNotConfigured(nicknameOrName, path string) error {
	return &problem.Error{
		Code:    CodeGraphNotConfigured,
		Message: fmt.Sprintf("No graph with the nickname or name %s is configured in %s.", quoted(nicknameOrName), path),
		Hint:    problem.Say("See the configured graphs with: %s", problem.Run("graphs")),
		Place:   &problem.Place{Path: path},
	}
}

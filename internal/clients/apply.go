package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// commandLimit is how long a client's own command line may take.
const commandLimit = time.Minute

// Apply carries the plan out. The file is replaced atomically, with its mode and the links
// that lead to it kept, after its backup is on disk, and read again. Its error is a
// *problem.Error, which wraps ErrChanged where the file is not what it was when the plan
// was made, and ErrByHand for ByLink and ByText.
func (m Machine) Apply(ctx context.Context, p Plan) error {
	if err := ctx.Err(); err != nil || p.Unchanged {
		return err
	}
	var err error
	switch p.Way {
	case ByCommand:
		err = m.applyCommand(ctx, p)
	case ByFile:
		err = m.applyFile(p)
	case ByLink, ByText:
		hint := problem.Say("Put the entry in by hand: %v", problem.Run("install", p.Client.ID).With("--print"))
		if p.Removes {
			hint = problem.Say("%s", p.Text)
		}
		return &problem.Error{Code: CodeByHand, Message: fmt.Sprintf("%s can't be configured from here.", p.Client.Name), Hint: hint, Err: ErrByHand}
	}
	if err == nil && p.staleBackup != "" {
		// What stays is found and replaced by the next installation.
		_ = os.Remove(p.staleBackup)
	}
	return err
}

// applyFile replaces, makes or removes the file.
func (m Machine) applyFile(p Plan) error {
	if err := os.MkdirAll(filepath.Dir(p.File), 0o700); err != nil {
		return m.notWritten(p, err)
	}
	target, err := files.ResolveLinks(p.File)
	if err != nil {
		return m.notWritten(p, err)
	}
	if err := m.unchanged(p); err != nil {
		return err
	}
	// What another program of ours is about to put there goes, too, if it is killed no
	// sooner than now; it then fails, and the file is left as it is.
	files.RemoveLeftovers(target)
	if p.Gone {
		if err := os.Remove(target); err != nil {
			return m.notWritten(p, err)
		}
		return nil
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return m.notWritten(p, err)
	case info.Mode().Perm()&0o200 == 0:
		return m.notWritten(p, errors.New("it is read-only, so that another program may be in charge of it"))
	}
	if err := p.backUp(); err != nil {
		return m.notWritten(p, err)
	}
	if err := replace(target, p.After, info, func() error { return m.unchanged(p) }); err != nil {
		return m.notWritten(p, err)
	}
	if now, _, err := m.read(p.File); err != nil || !bytes.Equal(now, p.After) {
		return m.notWritten(p, errors.Join(errors.New("it has another content than was written"), err))
	}
	return nil
}

// backUp leaves the backup of the plan, if it wants one, with the owner and the mode of
// the file.
func (p Plan) backUp() error {
	if p.Backup == "" {
		return nil
	}
	info, err := os.Stat(p.File)
	if err != nil {
		return err
	}
	return replace(p.Backup, p.Before, info, func() error { return nil })
}

// replace writes a file whose owner and mode are those of old, nil for a new one. Right
// before the new file takes the place of the old one, last may stop it.
func replace(path string, text []byte, old fs.FileInfo, last func() error) error {
	f, err := files.StartReplacement(path, old)
	if err != nil {
		return err
	}
	if old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = last()
	}
	if err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// unchanged returns an error that wraps ErrChanged unless the file is what it was when the
// plan was made.
func (m Machine) unchanged(p Plan) error {
	now, exists, err := m.read(p.File)
	if err == nil && exists != p.New && bytes.Equal(now, p.Before) {
		return nil
	}
	return &problem.Error{
		Code: CodeFileChanged, Message: m.short(p.File) + " has changed in the meantime, so nothing was written.",
		Hint: problem.Say("Try again."), Err: errors.Join(ErrChanged, err),
	}
}

func (m Machine) notWritten(p Plan, err error) error {
	if _, explained := problem.As(err); explained {
		return err
	}
	message := fmt.Sprintf("%s could not be written: %v.", m.short(p.File), err)
	return &problem.Error{
		Code: CodeFileNotKept, Message: message,
		Hint: problem.Say("See to it that you may write it, or paste the entry yourself: %v", problem.Run("install", p.Client.ID).With("--print")), Err: err,
	}
}

// applyCommand runs the client's own command line, and looks whether the file is as it
// should be afterwards.
func (m Machine) applyCommand(ctx context.Context, p Plan) error {
	if err := p.backUp(); err != nil {
		return m.notWritten(p, err)
	}
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	command := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	command.Env, command.Dir, command.WaitDelay = m.commandEnvironment(p), m.Home, time.Second
	said := &files.Tail{Max: 4096}
	command.Stdout, command.Stderr = said, said
	err := command.Run()
	if err == nil {
		err = m.checkCommand(p)
	}
	if err == nil {
		return m.putBack(p)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	message := fmt.Sprintf("%s failed: %v.", strings.Join(p.Command[:min(len(p.Command), 3)], " "), err)
	if last := lastLine(said); last != "" {
		message += " It said: " + last
	}
	return &problem.Error{
		Code: CodeCommandFailed, Message: message,
		Hint: problem.Say("Put the entry in by hand: %v", problem.Run("install", p.Client.ID).With("--print")), Err: err,
	}
}

// checkCommand returns an error unless the file has, or has no longer, the entry.
func (m Machine) checkCommand(p Plan) error {
	m.Folder = "" // command lines change the user's file
	status := m.Look(p.Client)
	if status.Err != nil {
		return status.Err
	}
	i := slices.IndexFunc(status.Entries, func(e Entry) bool { return e.Name == p.Server.Name })
	switch {
	case p.Removes && i >= 0:
		return fmt.Errorf("%q is still in %s", p.Server.Name, m.short(status.File))
	case p.Removes:
		return nil
	case i < 0:
		return fmt.Errorf("%q is not in %s", p.Server.Name, m.short(status.File))
	case status.Entries[i].Command != p.entry.Command || !slices.Equal(status.Entries[i].Args, p.entry.Args):
		return fmt.Errorf("%q in %s does not start what it should", p.Server.Name, m.short(status.File))
	}
	return nil
}

// putBack gives a file of which the client's own command has changed more than the entry all
// else back: "codex mcp add" writes other servers anew, without their comments.
func (m Machine) putBack(p Plan) error {
	if p.After == nil && !p.Gone {
		return nil // the client may have changed more by itself
	}
	now, _, err := m.read(p.File)
	if err != nil {
		return m.notWritten(p, err)
	}
	if bytes.Equal(now, p.After) && !p.Gone {
		return nil
	}
	if !p.Removes {
		at := p.Client.servers[0].at(p.Server.Name)
		beside, err := removeEntry(now, at)
		wanted, bad := removeEntry(p.After, at)
		if err == nil && bad == nil && bytes.Equal(beside, wanted) {
			return nil
		}
	}
	p.Before, p.New, p.Backup = now, false, ""
	return m.applyFile(p)
}

// commandEnvironment is this process's, with the home and the variables of this machine
// that say where the client's files are, and with the folder of the client's program in
// PATH, where programs made with Node have theirs.
func (m Machine) commandEnvironment(p Plan) []string {
	env := os.Environ()
	for _, name := range []string{"XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME"} {
		if value := m.Getenv(name); value != os.Getenv(name) {
			env = m.set(env, name, value)
		}
	}
	env = m.set(env, choose(m.GOOS == windows, "USERPROFILE", "HOME"), m.Home)
	return m.set(env, "PATH", m.get(env, "PATH")+string(os.PathListSeparator)+filepath.Dir(p.Command[0]))
}

// lastLine returns the last line of an output that is not blank, without characters that
// must not be shown.
func lastLine(output *files.Tail) string {
	text, _ := output.Text()
	text = strings.TrimSpace(strings.ToValidUTF8(text, ""))
	return strings.Map(func(r rune) rune {
		if textsafe.Unshowable(r) {
			return -1
		}
		return r
	}, strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]))
}

package install

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
)

// keptOutput is how many bytes of its output and of its errors are kept of a process.
const keptOutput = 8 << 10

// process is a server that was started as a client would.
type process struct {
	path     string // of the program
	farewell time.Duration
	command  *exec.Cmd
	stdin    io.WriteCloser
	stdout   *output
	printed  *files.Head   // of its output
	errors   *files.Tail   // of its errors
	exited   chan struct{} // closed once it has ended
	err      error         // of command.Wait, once exited is closed
}

// startProcess starts the program of a launch, which is given farewell to end once its input is
// closed. Its error is a *failure.
func startProcess(launch clients.Launch, farewell time.Duration) (*process, error) {
	if info, err := os.Stat(launch.Dir); launch.Dir != "" && (err != nil || !info.IsDir()) {
		return nil, &failure{problem: &problem.Error{
			Code: CodeNotStarted, Message: fmt.Sprintf("The entry starts the program in the folder %s, which is not there.", launch.Dir),
			Hint: problem.Say("Make that folder, or take it out of the entry in the client's file."),
		}}
	}
	path, err := findProgram(launch)
	if err != nil {
		return nil, err
	}
	p := &process{path: path, farewell: farewell, printed: &files.Head{Max: keptOutput}, errors: &files.Tail{Max: keptOutput}, exited: make(chan struct{})}
	p.command = &exec.Cmd{Path: path, Args: append([]string{launch.Command}, launch.Args...), Env: launch.Env, Dir: launch.Dir}
	if launch.Env == nil {
		p.command.Env = []string{} // nil would be that of this process
	}
	ownGroup(p.command)
	p.command.WaitDelay = farewell
	p.command.Stderr = p.errors
	reader, writer := io.Pipe()
	p.stdout, p.command.Stdout = &output{PipeReader: reader}, io.MultiWriter(p.printed, writer)
	if p.stdin, err = p.command.StdinPipe(); err == nil {
		err = p.command.Start()
	}
	if err != nil {
		return nil, notStarted(launch, path, err)
	}
	go func() {
		defer close(p.exited)
		p.err = p.command.Wait()
		_ = writer.Close() // it returns no error
	}()
	return p, nil
}

// findProgram returns the path of the program that a client would start.
func findProgram(launch clients.Launch) (string, error) {
	if launch.Program != "" {
		return launch.Program, nil
	}
	path := launch.Command
	if path != "" && !strings.ContainsAny(path, `/\`) { // Machine.Launch has looked
		return "", entryFails(launch, CodeProgramGone, "The client's file starts %s by its name alone, and no folder has it of the PATH that the client gives to servers.", quoted(path))
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(launch.Dir, path)
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return path, nil
	}
	return "", entryFails(launch, CodeProgramGone, "The client's file starts %s, which is not there.", quoted(path))
}

// entryFails returns why an entry starts nothing, or another program, which is mended by writing it
// anew.
func entryFails(launch clients.Launch, code problem.Code, message string, args ...any) *failure {
	return &failure{mend: anew(launch), problem: &problem.Error{Code: code, Message: fmt.Sprintf(message, args...), Hint: writeAnew(launch)}}
}

// missingProgram returns the step that fails since the program of a launch is not there; false
// where it is.
func missingProgram(launch clients.Launch) (ProofStep, bool) {
	_, err := findProgram(launch)
	var failed *failure
	if !errors.As(err, &failed) {
		return ProofStep{}, false
	}
	return ProofStep{ID: StepStart, Failed: true, Err: failed.problem, Mend: failed.mend}, true
}

// anew returns what mends an entry that starts nothing, or another program.
func anew(launch clients.Launch) Mend {
	if launch.Client == "" {
		return MendInstallProgram
	}
	return MendWriteAnew
}

func writeAnew(launch clients.Launch) problem.Hint {
	if launch.Client == "" {
		return problem.Say("Install roam-mcp again, for this machine.")
	}
	return problem.Say("%s writes the entry anew, with the whole path of this program.", problem.Run("install", launch.Client))
}

func notStarted(launch clients.Launch, path string, err error) error {
	f := &failure{mend: anew(launch), problem: &problem.Error{
		Code: CodeNotStarted, Message: fmt.Sprintf("%s can't be started: %v.", quoted(path), errors.Unwrap(err)), Err: err,
		Hint: problem.Say("Install roam-mcp again, for this machine."),
	}}
	if errors.Is(err, fs.ErrPermission) {
		f.problem.Message, f.problem.Hint = fmt.Sprintf("%s may not be started: it is no program, or you lack the right.", quoted(path)), problem.Say("Check the rights of that file, or install roam-mcp again.")
	}
	return f
}

// end ends the process, with those that it has started: its input is closed, and if that
// is not enough it is killed.
func (p *process) end() {
	_ = p.stdin.Close()
	_ = p.stdout.Close() // what it still prints is not waited for
	if !p.ended(p.farewell) {
		killGroup(p.command)
		<-p.exited // WaitDelay bounds it
	}
}

// ended reports whether the process ends within d.
func (p *process) ended(d time.Duration) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case <-p.exited:
		return true
	case <-limit.C:
		return false
	}
}

// output is what a process prints.
type output struct {
	*io.PipeReader
	ended atomic.Bool // by the process: the reader has come to its end without closing it
}

// Read implements io.Reader.
func (o *output) Read(p []byte) (int, error) {
	n, err := o.PipeReader.Read(p)
	if errors.Is(err, io.EOF) {
		o.ended.Store(true)
	}
	return n, err
}

package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
)

// Codes of this package's errors.
const (
	// CodeNotPlaced reports that the program could not be put into its place.
	CodeNotPlaced problem.Code = "SELF_NOT_INSTALLED"
	// CodeInUse reports that what runs keeps this program from being removed as a whole.
	CodeInUse problem.Code = "SELF_IN_USE"
)

// Folders tells where a system has what is installed for one user: the program and its
// completions.
type Folders struct {
	GOOS, Home string
	Local      string // of Windows: %LOCALAPPDATA%
	Data       string // of the XDG Base Directory specification
}

// Name is what the program's file is called.
func (f Folders) Name() string {
	if f.GOOS == "windows" {
		return "roam-mcp.exe"
	}
	return "roam-mcp"
}

// Programs is the folder for the program where no other one is asked for.
func (f Folders) Programs() string {
	if f.GOOS == "windows" {
		return filepath.Join(f.Local, "Programs", "roam-mcp")
	}
	return filepath.Join(f.Home, ".local", "bin")
}

// Page is a text that is installed beside the program.
type Page struct{ Name, Path, Text string }

// Pages returns the completions with their places. text returns what a command prints. On Windows there is no place from which such are read.
func (f Folders) Pages(text func(command ...string) (string, error)) (pages []Page, err error) {
	if f.GOOS == "windows" {
		return nil, nil
	}
	for _, each := range []struct {
		name, path string
		command    []string
	}{
		{"Completion of bash", "bash-completion/completions/roam-mcp", []string{"completion", "bash"}},
		{"Completion of zsh", "zsh/site-functions/_roam-mcp", []string{"completion", "zsh"}},
		{"Completion of fish", "fish/vendor_completions.d/roam-mcp.fish", []string{"completion", "fish"}},
	} {
		printed, err := text(each.command...)
		if err != nil {
			return nil, err
		}
		pages = append(pages, Page{each.name, filepath.Join(f.Data, filepath.FromSlash(each.path)), printed})
	}
	return pages, nil
}

// mostProgram bounds the program that is read, in bytes.
const mostProgram = 256 << 20

// Installation puts this program and its pages into their places.
type Installation struct {
	Running string // path of the program that runs, without links
	Version string // its own
	Target  string // path that it gets
	Pages   []Page
	Memory  Placed
}

// Doubts returns what is in the way that only a person may have replaced, a sentence each. The
// error is of what is not replaced at all.
func (i Installation) Doubts() (doubts []string, err error) {
	for _, page := range i.Pages {
		if doubts, err = inTheWay(doubts, page.Path); err != nil {
			return nil, err
		}
	}
	info, err := os.Lstat(i.Target)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 || info.IsDir() {
		return inTheWay(doubts, i.Target)
	}
	version, ours, known := VersionOf(i.Target)
	switch {
	case i.isThere():
	case !ours:
		doubts = append(doubts, fmt.Sprintf("%s is another program.", i.Target))
	case known && Newer(version, i.Version):
		doubts = append(doubts, fmt.Sprintf("%s is version %s, which is newer: this is %s.", i.Target, version, i.Version))
	}
	return doubts, nil
}

// inTheWay adds a doubt where a link is at a path.
func inTheWay(doubts []string, path string) ([]string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, notPlaced(err)
	case info.IsDir():
		return nil, notPlaced(fmt.Errorf("%s is a folder", path))
	case info.Mode()&fs.ModeSymlink != 0:
		leads, _ := os.Readlink(path)
		doubts = append(doubts, fmt.Sprintf("%s is a link to %s. The link would go, and what it leads to stay.", path, leads))
	case !info.Mode().IsRegular():
		return nil, notPlaced(fmt.Errorf("%s is no file", path))
	}
	return doubts, nil
}

// isThere reports whether the program that runs is the one at its place.
func (i Installation) isThere() bool {
	info, err := os.Lstat(i.Target)
	running, bad := os.Stat(i.Running)
	return err == nil && bad == nil && os.SameFile(info, running)
}

// Do puts everything into its place, or nothing where one of the files can't be written. It
// returns what was written.
func (i Installation) Do() (written []File, err error) {
	var pending []*files.Replacement
	defer func() {
		for _, each := range pending {
			_ = each.Discard()
		}
		for _, f := range written {
			if err != nil && f.Made != "" {
				removeEmpty(filepath.Dir(f.Path), f.Made)
			}
		}
		if err != nil {
			written, err = nil, notPlaced(err)
		}
	}()
	prepare := func(f File, data []byte, mode fs.FileMode) error {
		f.Made = Missing(f.Path)
		written = append(written, f)
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}
		replacement, err := files.StartReplacement(f.Path, nil)
		if err != nil {
			return err
		}
		pending = append(pending, replacement)
		_, err = replacement.Write(data)
		return errors.Join(err, replacement.Chmod(mode), replacement.Sync())
	}
	self := File{Name: "Program", Path: i.Target, Part: Program}
	if i.isThere() {
		written = append(written, self)
	} else {
		data, err := files.Read(i.Running, mostProgram)
		if err == nil {
			err = prepare(self, data, 0o755)
		}
		if err != nil {
			return written, err
		}
	}
	for _, page := range i.Pages {
		if err := prepare(File{Name: page.Name, Path: page.Path, Part: Completions}, []byte(page.Text), 0o644); err != nil {
			return written, err
		}
	}
	for _, each := range pending { // the program first, which may be held by what runs
		if err := each.Commit(); err != nil {
			return written, err
		}
	}
	return written, i.Memory.Add(written...)
}

func notPlaced(err error) error {
	return &problem.Error{
		Code: CodeNotPlaced, Message: problem.Sentence("this program was not installed: " + err.Error()),
		Hint: problem.Say("Another folder: %s", problem.Run("self install").With("--to", "FOLDER").Anywhere()), Err: err,
	}
}

// PathLine returns the line that has a shell find programs in a folder, and the file that it goes into.
func (f Folders) PathLine(shell, folder string) (file, line string) {
	if below, err := filepath.Rel(f.Home, folder); err == nil && filepath.IsLocal(below) && f.GOOS != "windows" {
		folder = "$HOME/" + below
	}
	switch {
	case f.GOOS == "windows":
		return "PATH, in PowerShell", `[Environment]::SetEnvironmentVariable("Path", [Environment]::GetEnvironmentVariable("Path", "User") + ";` + folder + `", "User")`
	case shell == "fish":
		return "~/.config/fish/config.fish", fmt.Sprintf(`fish_add_path "%s"`, folder)
	case shell == "zsh":
		return "~/.zshrc", fmt.Sprintf(`export PATH="%s:$PATH"; fpath+=("%s")`, folder, filepath.Join(f.Data, "zsh", "site-functions"))
	}
	return "~/." + choose(shell == "bash", "bashrc", "profile"), fmt.Sprintf(`export PATH="%s:$PATH"`, folder)
}

func choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

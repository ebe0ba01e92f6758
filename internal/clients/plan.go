package clients

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
)

// The codes of errors about a client's configuration; a file that can't be read has
// CodeUnreadable.
const (
	CodeFileChanged   problem.Code = "CLIENT_FILE_CHANGED"
	CodeFileNotKept   problem.Code = "CLIENT_FILE_NOT_WRITTEN"
	CodeCommandFailed problem.Code = "CLIENT_COMMAND_FAILED"
	CodeByHand        problem.Code = "CLIENT_BY_HAND"
	CodeNoProjectFile problem.Code = "CLIENT_NO_PROJECT_FILE"
	CodeNotOurs       problem.Code = "CLIENT_ENTRY_NOT_OURS"
)

// Way is how a client gets its entry.
type Way uint8

// The ways, the first of which that a client has is taken.
const (
	ByCommand Way = iota + 1 // the client's own command line is run
	ByFile                   // its file is edited
	ByLink                   // a link is opened, and a person agrees in the client
	ByText                   // a person pastes a text
)

// String returns the way in a word: "command".
func (w Way) String() string {
	return [...]string{"unknown way", ByCommand: "command", ByFile: "file", ByLink: "link", ByText: "text"}[w]
}

// Options choose between the ways.
type Options struct {
	Project bool // the client's file in Machine.Folder instead of the user's
	File    bool // edit the file although the client has a command line for it
	// Keep leaves in a project's file what its entry has beside what roam-mcp writes, as
	// in the user's file.
	Keep bool
}

// Plan is a change of a client's configuration that can be shown before it is made.
type Plan struct {
	Client  Client
	Way     Way
	Removes bool   // an entry is taken out, rather than put in
	Server  Server // what is put in; its Name alone where an entry is taken out
	// File is the file that changes, with Before as its content and After as the one it
	// gets; ByCommand After is nil where the client's command is let to write what it will.
	// Symbolic links are followed when the plan is applied. All are empty ByLink and ByText.
	File          string
	Before, After []byte
	New           bool     // there is no file before
	Gone          bool     // there is no file afterwards, as there was none before roam-mcp's entry
	Backup        string   // path of the backup of Before that Apply leaves; empty: none is made
	Command       []string // of ByCommand, word by word
	Link          string   // of ByLink, and of others that have one
	Text          string   // what a person pastes or runs instead, always filled
	Where         string   // where Text goes: "~/.cursor/mcp.json", `~/.continue/config.yaml, below "mcpServers"`; empty: it is a command to run
	Unchanged     bool     // there is nothing to do
	Note          string   // sentences that a person should read before; empty: none
	Extras        []Extra  // what the entry has beside what roam-mcp writes
	Drops         bool     // Extras go: they are in a project's file, which others write

	home        string   // for Diff
	shown       []string // the values of Before and After that are of the entry, which Diff may show
	entry       Entry    // what is in the file afterwards, ByCommand
	staleBackup string   // path of a backup that Apply removes, as it has served its purpose; empty: none
}

// ErrChanged reports that a file is no longer what it was when a plan was made: plan again.
var ErrChanged = errors.New("the file has changed since it was read")

// ErrByHand reports that Apply can't make a change which a person makes in the client.
var ErrByHand = errors.New("this client is configured by hand")

// BackupSuffix ends the name of the backup beside a client's file. It is made when the
// file gets its first entry of roam-mcp, and removed when the last one is taken out.
const BackupSuffix = ".before-roam-mcp"

// PlanInstall plans to put the server into the client's configuration. The error is a
// *problem.Error; where the file can't be read, the plan is still filled as ByText.
func (m Machine) PlanInstall(c Client, s Server, o Options) (Plan, error) {
	p := Plan{Client: c, Way: ByText, Server: s, home: m.Home}
	if err := m.checkProject(c, o); err != nil {
		return p, err
	}
	file, script := m.file(c, o.Project), m.script(c, o.Project)
	if err := m.leadsOut(c, file, o); err != nil {
		return p, err
	}
	at := c.servers[0]
	if file == "" || script != "" {
		if m.fillText(&p, at, nil, file, script, o); p.Link != "" {
			p.Way = ByLink
		}
		return p, nil
	}
	var entries []Entry
	before, exists, err := m.read(file)
	if err == nil {
		at, entries, _, err = m.servers(c, before)
	}
	m.fillText(&p, at, before, file, script, o)
	same := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == s.Name })
	if err == nil && same >= 0 {
		p.note(m, entries[same], o)
	}
	after := before
	switch {
	case err == nil && c.paste && !m.has(before, at, s):
		return p, nil
	case err == nil && !c.paste:
		after, err = m.put(before, at, s, p.Drops)
	}
	if err != nil {
		return p, m.unreadable(c, file, err)
	}
	if refused := m.refused(c, file, before); refused != nil {
		return p, refused
	}
	p.Way, p.File, p.Before, p.After = ByFile, file, before, after
	p.New, p.Unchanged = !exists, exists && bytes.Equal(before, after)
	if p.Unchanged {
		return p, nil
	}
	if exists && (p.Drops && !there(file+BackupSuffix) || !slices.ContainsFunc(entries, func(e Entry) bool { return e.Ours })) {
		p.Backup = file + BackupSuffix
	}
	if command := m.ownCommand(c, c.add, o); command != "" && same < 0 {
		p.byCommand(at, append([]string{command}, words(c.add[1:], s, at.entry.of(s))...))
		p.entry = Entry{Name: s.Name, Command: s.Command, Args: s.Args}
	}
	return p, nil
}

// note says what the entry that is there under the name of the plan's has, and whether that
// goes.
func (p *Plan) note(m Machine, there Entry, o Options) {
	if !there.Ours {
		p.Note = fmt.Sprintf("%q starts another program now, which this replaces: %s.", there.Name, problem.ShellOf(m.GOOS).Join(startOf(there)...))
		return
	}
	if p.Extras = there.Extras; len(p.Extras) == 0 {
		return
	}
	p.Drops = o.Project && !o.Keep
	p.Note = fmt.Sprintf("This entry also has: %s. %s", there.Also(), choose(p.Drops, "That goes, since others write this file.", "That stays."))
}

// byCommand has the client's own command make the change. What it does to the rest of a file of
// TOML is undone; others the client writes all the time.
func (p *Plan) byCommand(at place, command []string) {
	p.Way, p.Command = ByCommand, command
	if at.format != formatTOML {
		p.After = nil
	}
}

// has reports whether a file has the server as it is to be.
func (m Machine) has(text []byte, at place, s Server) bool {
	list, err := listServers(text, at.at(""))
	i := slices.IndexFunc(list, func(f foundServer) bool { return f.Name == s.Name })
	return err == nil && i >= 0 && isComplete(list[i].Values, at.entry.of(s))
}

// fillText fills in what a person pastes or opens, and what of the file Diff may show.
// file and script are those of the client, empty where it has none, and text what the file holds.
func (m Machine) fillText(p *Plan, at place, text []byte, file, script string, o Options) {
	c, entry := p.Client, at.entry.of(p.Server)
	p.shown = append(textsOf(entry), p.Server.Name)
	p.Link = address(c.link, p.Server, entry)
	switch {
	case script != "":
		p.Text, p.Where = problem.POSIX.Join(words(c.line, p.Server, entry)...), m.short(script)
	case c.add != nil && !o.Project && !o.File && at.format != formatTOML: // of which byCommand says what its command does
		p.Text = problem.ShellOf(m.GOOS).Join(words(c.add, p.Server, entry)...)
		if m.GOOS == windows { // PowerShell keeps a bare -- from scripts, which npm makes for programs
			p.Text = strings.Replace(p.Text, " -- ", " '--' ", 1)
		}
	case file == "" && c.line != nil:
		p.Text = problem.ShellOf(m.GOOS).Join(words(c.line, p.Server, entry)...)
	default:
		p.Text, p.Where = pasted(text, at.at(p.Server.Name), entry)
		p.Where = choose(file != "", m.short(file), c.where) + p.Where
	}
}

// put returns a file with the server in it. An entry of its name that starts another
// program is replaced as a whole; of one of ours, what a person has added stays, unless
// whole is set.
func (m Machine) put(text []byte, at place, s Server, whole bool) ([]byte, error) {
	list, err := listServers(text, at.at(""))
	if err != nil {
		return nil, err
	}
	for _, raw := range list {
		if raw.Name == s.Name && (whole || !m.entry(at, raw).Ours) {
			if text, err = removeEntry(text, at.at(s.Name)); err != nil {
				return nil, err
			}
		}
	}
	return putEntry(text, at.at(s.Name), at.entry.of(s))
}

// ownCommand returns the path of the client's own program where a change is made with it.
func (m Machine) ownCommand(c Client, template []string, o Options) string {
	if len(template) == 0 || o.File || o.Project {
		return ""
	}
	program, err := m.LookPath(template[0])
	if err != nil {
		return ""
	}
	return program
}

func (m Machine) checkProject(c Client, o Options) error {
	if !o.Project || m.Folder != "" && c.HasProjectFile() {
		return nil
	}
	return &problem.Error{
		Code: CodeNoProjectFile, Message: fmt.Sprintf("%s reads no servers from the folder of a project.", c.Name),
		Hint: problem.Say("Leave out --project: %v", problem.Run("install", c.ID)),
	}
}

// leadsOut returns an error where the file of a project is a link, or below one, that leads
// out of the project: what a repository says is the project's file must not be another one.
func (m Machine) leadsOut(c Client, file string, o Options) error {
	if !o.Project || file == "" {
		return nil
	}
	at := file
	for !there(at) && at != filepath.Dir(at) {
		if _, err := os.Lstat(at); err == nil {
			break // a link to what is not there
		}
		at = filepath.Dir(at)
	}
	real, err := filepath.EvalSymlinks(at)
	if err == nil && within(resolved(m.Folder), real) {
		return nil
	}
	return &problem.Error{
		Code: CodeFileNotKept, Message: fmt.Sprintf("%s of %s is a link that leads out of the project, so it is left alone.", m.short(file), c.Name),
		Hint: problem.Say("Look where it leads, and take the link away. Or configure the client for yourself: %v", problem.Run("install", c.ID)), Err: err,
	}
}

// PlanRepoint plans to have an entry of roam-mcp start this machine's Program. All else of it stays.
func (m Machine) PlanRepoint(c Client, e Entry) (Plan, error) {
	return m.PlanInstall(c, Server{Name: e.Name, Command: m.Program, Args: e.Args}, Options{})
}

// PlanRemove plans to take out the entry of that name, or every entry of roam-mcp where
// the name is empty. Where nothing else has changed since, the file gets the bytes that it
// had before roam-mcp's entry, or goes if there was none.
func (m Machine) PlanRemove(c Client, name string, o Options) (Plan, error) {
	p := Plan{Client: c, Way: ByText, Removes: true, Server: Server{Name: name}, home: m.Home}
	if err := m.checkProject(c, o); err != nil {
		return p, err
	}
	file, script := m.file(c, o.Project), m.script(c, o.Project)
	if err := m.leadsOut(c, file, o); err != nil {
		return p, err
	}
	p.Where = m.short(file)
	switch {
	case file == "":
		p.Where, p.Text = c.where, fmt.Sprintf("Take %s out in %s itself.", nameOr(name), c.Name)
		return p, nil
	case script != "":
		p.Where, p.Text = m.short(script), fmt.Sprintf("Take the line of %s out of %s.", nameOr(name), m.short(script))
		return p, nil
	}
	p.Text = fmt.Sprintf("Take the entry of %s out of %s.", nameOr(name), p.Where)
	text, exists, err := m.read(file)
	p.Way, p.File, p.Unchanged = ByFile, file, !exists
	if err == nil && exists {
		var at place
		var entries []Entry
		if at, entries, _, err = m.servers(c, text); err == nil {
			err = m.planRemoval(&p, at, text, entries, o)
		}
	}
	if known, ok := problem.As(err); ok && known.Code == CodeNotOurs || err == nil && (!c.paste || p.Unchanged) {
		return p, err
	}
	p.Way, p.File, p.Before, p.After = ByText, "", nil, nil
	if err == nil {
		return p, nil
	}
	told := problem.FromError(m.unreadable(c, file, err))
	told.Hint = problem.Say("The file is left as it is. Mend it, or take the entry out yourself.")
	return p, told
}

func nameOr(name string) string {
	if name == "" {
		return "roam-mcp"
	}
	return fmt.Sprintf("%q", name)
}

// planRemoval fills in the plan to take out the entries of roam-mcp with the name of the
// plan's Server, or all. Once none is left and nothing else has changed, the file gets back
// the content of its backup, or goes if there was none. A backup that has an entry of
// roam-mcp, or that the client's own command makes useless, is removed and not restored.
func (m Machine) planRemoval(p *Plan, at place, text []byte, entries []Entry, o Options) error {
	c, name := p.Client, p.Server.Name
	p.Before, p.After = text, text
	var out []Entry
	left := false
	for _, e := range entries {
		switch {
		case e.Ours && (name == "" || e.Name == name):
			out = append(out, e)
		case e.Ours:
			left = true
		case e.Name == name:
			return &problem.Error{
				Code: CodeNotOurs, Message: fmt.Sprintf("%q in %s starts another program than roam-mcp: %s.", name, m.short(p.File), problem.ShellOf(m.GOOS).Join(startOf(e)...)),
				Hint: problem.Say("Take it out by hand if it is to go."),
			}
		}
	}
	if p.Unchanged = len(out) == 0; p.Unchanged || c.paste {
		return nil
	}
	for _, e := range out {
		p.shown = append(append(p.shown, e.Name, e.Command), e.Args...)
		var err error
		if p.After, err = removeEntry(p.After, at.at(e.Name)); err != nil {
			return err
		}
	}
	if name == "" && len(out) == 1 {
		p.Server.Name = out[0].Name
	}
	saved, hasBackup, err := m.read(p.File + BackupSuffix)
	hasBackup = hasBackup && err == nil
	restores := hasBackup && !m.hasOurs(c, saved)
	if command := m.ownCommand(c, c.remove, o); command != "" && len(out) == 1 {
		p.byCommand(at, append([]string{command}, words(c.remove[1:], p.Server, nil)...))
		if p.After == nil {
			if hasBackup && !left {
				p.staleBackup = p.File + BackupSuffix // the client has written the file many times since
			}
			return nil
		}
	}
	switch {
	case left:
	case restores && m.made(saved, at, out, text):
		p.After, p.staleBackup = saved, p.File+BackupSuffix
	case hasBackup && !restores:
		p.staleBackup = p.File + BackupSuffix
	case !hasBackup && m.made(nil, at, out, text):
		p.After, p.Gone = nil, true
	}
	return nil
}

// hasOurs reports whether a file has an entry of roam-mcp: a backup that does was made by a
// program that did not know it.
func (m Machine) hasOurs(c Client, text []byte) bool {
	_, entries, _, _ := m.servers(c, text) // none, of what can't be read
	return slices.ContainsFunc(entries, func(e Entry) bool { return e.Ours })
}

// made reports whether a file came from another content by putting these entries in.
func (m Machine) made(before []byte, at place, entries []Entry, text []byte) bool {
	for _, e := range entries {
		var err error
		if before, err = m.put(before, at, Server{Name: e.Name, Command: e.Command, Args: e.Args}, false); err != nil {
			return false
		}
	}
	return bytes.Equal(before, text)
}

// startOf returns the command line of an entry that is shown to a person, without
// arguments, which may be secrets.
func startOf(f Entry) []string {
	switch {
	case f.Command == "":
		return []string{"an address"}
	case len(f.Args) == 0:
		return []string{f.Command}
	}
	return []string{filepath.Base(f.Command), "…"}
}

// textsOf returns the strings that an entry is made of, and its keys.
func textsOf(entry entryFields) []string {
	var some []string
	for _, f := range entry {
		some = append(some, f.Key)
		switch value := f.Value.(type) {
		case string:
			some = append(some, value)
		case []string:
			some = append(some, value...)
		case entryFields:
			some = append(some, textsOf(value)...)
		default:
			some = append(some, fmt.Sprint(value))
		}
	}
	return some
}

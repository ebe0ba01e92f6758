package problem

import (
	"fmt"
	"slices"
	"strings"
)

// Hint is what to do about a problem: sentences whose commands and tools are
// values. The zero Hint says nothing.
type Hint struct{ sentences []sentence }

// sentence is a format with its operands, and what is said instead of it in a
// world that lacks one of the tools it names.
type sentence struct {
	format  string
	args    []any
	needs   []Task // tasks whose tools it does not name, and without which it is not said
	instead []sentence
}

// Task is what a tool does, under whatever name a profile gives the tool. The
// tasks there are, are declared where tools are (mcpserve/surface).
type Task string

// Word is a word that depends on the world it is read in.
type Word string

// Roam is the name of the Roam that is served: Roam Desktop, or the sandbox.
const Roam Word = "Roam Desktop"

// Say makes a hint of one sentence, or of several that belong together. The
// format is that of package fmt; operands may be a Command, a CommandLine, a Task,
// a Word, a Hint or whatever package fmt takes. Without operands the format is taken as it is.
// Text from outside is to be quoted by the caller.
func Say(format string, args ...any) Hint {
	return Hint{[]sentence{{format: format, args: args}}}
}

// Then returns h with a further sentence behind it.
func (h Hint) Then(format string, args ...any) Hint {
	return h.Append(Say(format, args...))
}

// Append returns h with the sentences of more behind it.
func (h Hint) Append(more Hint) Hint {
	return Hint{append(slices.Clip(h.sentences), more.sentences...)}
}

// Or returns h with a sentence that is said instead of its last one in a world
// that lacks a tool which the last one names.
func (h Hint) Or(format string, args ...any) Hint {
	if len(h.sentences) == 0 {
		return h
	}
	changed := slices.Clone(h.sentences)
	last := &changed[len(changed)-1]
	last.instead = append(slices.Clip(last.instead), sentence{format: format, args: args})
	return Hint{changed}
}

// Needing returns h with its last sentence said only in a world that has a tool
// for each of the tasks, which the sentence does not name.
func (h Hint) Needing(tasks ...Task) Hint {
	if len(h.sentences) == 0 {
		return h
	}
	changed := slices.Clone(h.sentences)
	last := &changed[len(changed)-1]
	last.needs = append(slices.Clip(last.needs), tasks...)
	return Hint{changed}
}

// IsZero reports whether h says nothing in any world.
func (h Hint) IsZero() bool { return len(h.sentences) == 0 }

// Command is a command line of this program, without the program's name and
// without the global flags that the World adds.
type Command struct {
	Name     string   // such as "reauth" or "history off"; empty: the program itself
	Flags    []string // such as "--token-stdin"
	Operands []string // names as they are, not quoted
	anywhere bool
}

// Run makes a Command.
func Run(name string, operands ...string) Command {
	return Command{Name: name, Operands: operands}
}

// With returns c with flags of its own.
func (c Command) With(flags ...string) Command {
	c.Flags = append(slices.Clip(c.Flags), flags...)
	return c
}

// Anywhere returns c as a command that does the same in every world: it is given
// no global flags.
func (c Command) Anywhere() Command {
	c.anywhere = true
	return c
}

// CommandLine is a command line of another program, word by word, not quoted.
type CommandLine []string

// World is where hints are read: in a terminal or by a model, with the flags
// that commands need there and with the tools of one profile.
type World struct {
	Flags []string // global flags, such as --sandbox or --config FILE
	Roam  string   // what Roam is called; empty: Roam Desktop
	Shell Shell
	// Tool returns the name of the tool that does a task, empty where none is
	// offered. Nil: there are no tools, as for a person in a terminal.
	Tool func(Task) string
}

// Say returns a hint as text: its sentences, less those that name a tool which
// is not offered.
func (w World) Say(h Hint) string {
	var said []string
	for _, s := range h.sentences {
		if text, ok := w.sentence(s); ok && text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, " ")
}

func (w World) sentence(s sentence) (string, bool) {
	if text, ok := w.format(s); ok {
		return text, true
	}
	for _, other := range s.instead {
		if text, ok := w.format(other); ok {
			return text, true
		}
	}
	return "", false
}

// format fills in the operands; false where one is a tool that is not offered.
func (w World) format(s sentence) (string, bool) {
	for _, task := range s.needs {
		if w.ToolName(task) == "" {
			return "", false
		}
	}
	if len(s.args) == 0 {
		return s.format, true
	}
	args := make([]any, len(s.args))
	for i, arg := range s.args {
		switch arg := arg.(type) {
		case Command:
			args[i] = w.Command(arg)
		case CommandLine:
			args[i] = w.Shell.Join(arg...)
		case Task:
			name := w.ToolName(arg)
			if name == "" {
				return "", false
			}
			args[i] = name
		case Word:
			args[i] = w.word(arg)
		case Hint:
			args[i] = w.Say(arg)
		default:
			args[i] = arg
		}
	}
	return fmt.Sprintf(s.format, args...), true
}

func (w World) word(word Word) string {
	if word == Roam && w.Roam != "" {
		return w.Roam
	}
	return string(word)
}

// ToolName returns the name of the tool that does a task, empty where none is
// offered.
func (w World) ToolName(task Task) string {
	if w.Tool == nil || task == "" {
		return ""
	}
	return w.Tool(task)
}

// Command returns a command as a person types it, quoted for the World's shell.
func (w World) Command(c Command) string {
	words := []string{"roam-mcp"}
	if !c.anywhere {
		words = append(words, w.Flags...)
	}
	words = append(words, strings.Fields(c.Name)...)
	words = append(words, c.Flags...)
	if slices.ContainsFunc(c.Operands, func(s string) bool { return strings.HasPrefix(s, "-") }) {
		words = append(words, "--")
	}
	return w.Shell.Join(append(words, c.Operands...)...)
}

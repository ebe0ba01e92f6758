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
	// Key returns the key of the setup program that does what a command does, empty where
	// there is none. It is named where the shell has no way to write the command.
	Key func(Command) string
	// Tool returns the name of the tool that does a task, empty where none is
	// offered. Nil: there are no tools, as for a person in a terminal.
	Tool func(Task) string
}

// Say returns a hint as text: its sentences, less those that name a tool which
// is not offered. It is for a model; a person reads the Lines.
func (w World) Say(h Hint) string {
	var said []string
	for _, s := range h.sentences {
		parts, _ := w.sentence(s)
		var text strings.Builder
		for _, part := range parts {
			text.WriteString(part.Text)
		}
		if text.Len() > 0 {
			said = append(said, text.String())
		}
	}
	return strings.Join(said, " ")
}

// sentence returns the parts of a sentence, or of what is said instead of it.
func (w World) sentence(s sentence) ([]Line, bool) {
	if parts, ok := w.format(s); ok {
		return parts, true
	}
	for _, other := range s.instead {
		if parts, ok := w.format(other); ok {
			return parts, true
		}
	}
	return nil, false
}

// format fills in the operands; false where one is a tool that is not offered.
func (w World) format(s sentence) ([]Line, bool) {
	for _, task := range s.needs {
		if w.ToolName(task) == "" {
			return nil, false
		}
	}
	if len(s.args) == 0 {
		return []Line{{Text: s.format}}, true
	}
	var parts []Line
	format, args := "", []any(nil) // of the text since the last command
	rest := s.format
	for i, arg := range s.args {
		before, verb, after := cutVerb(rest)
		format, rest = format+before, after
		var commands []Line
		switch arg := arg.(type) {
		case Command:
			commands = w.command(arg)
		case CommandLine:
			commands = w.commandLine(arg)
		case Hint:
			commands = w.parts(arg)
		case Task:
			name := w.ToolName(arg)
			if name == "" {
				return nil, false
			}
			args = append(args, name)
		case Word:
			args = append(args, w.word(arg))
		default:
			args = append(args, arg)
		}
		if commands == nil {
			format += verb
			continue
		}
		if verb == "" { // an operand too many, which fmt tells
			return []Line{{Text: fmt.Sprintf(s.format, s.args...)}}, true
		}
		if text := fmt.Sprintf(format, args...); text != "" {
			parts = append(parts, Line{Text: text})
		}
		parts, format, args = append(parts, commands...), "", nil
		if i == len(s.args)-1 && rest == "" {
			return parts, true
		}
	}
	return append(parts, Line{Text: fmt.Sprintf(format+rest, args...)}), true
}

// cutVerb cuts a format around its first verb, empty where it has none.
func cutVerb(format string) (before, verb, after string) {
	for i := 0; i < len(format)-1; i++ {
		if format[i] != '%' {
			continue
		}
		end := i + 1
		for end < len(format)-1 && strings.IndexByte("+-# 0123456789.", format[end]) >= 0 {
			end++
		}
		if format[end] != '%' {
			return format[:i], format[i : end+1], format[end+1:]
		}
		i = end
	}
	return format, "", ""
}

// parts returns what another hint says, in one.
func (w World) parts(h Hint) []Line {
	parts := []Line{}
	for _, s := range h.sentences {
		said, _ := w.sentence(s)
		if len(parts) > 0 && len(said) > 0 {
			parts = append(parts, Line{Text: " "})
		}
		parts = append(parts, said...)
	}
	return parts
}

// command returns a command, or where the shell has no way to write it, how the same is
// done in the setup program.
func (w World) command(c Command) []Line {
	words := w.words(c)
	if w.Shell.CanQuote(words...) {
		return []Line{{w.Shell.Join(words...), true}}
	}
	how := "choose it in the setup program"
	if w.Key != nil {
		if key := w.Key(c); key != "" {
			how = "press " + key + " on it in the setup program"
		}
	}
	program := w.words(Command{})
	if !w.Shell.CanQuote(program...) {
		return []Line{{Text: how}}
	}
	return []Line{{Text: how + ", "}, {w.Shell.Join(program...), true}}
}

func (w World) commandLine(words CommandLine) []Line {
	if !w.Shell.CanQuote(words...) {
		return []Line{{Text: "by hand"}}
	}
	return []Line{{w.Shell.Join(words...), true}}
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

// Command returns a command as a person types it, quoted for the World's shell. It is for
// commands without operands from outside: others are said in a Hint.
func (w World) Command(c Command) string { return w.Shell.Join(w.words(c)...) }

// words returns the words of a command, with the program's name and the global flags.
func (w World) words(c Command) []string {
	words := []string{"roam-mcp"}
	if !c.anywhere {
		words = append(words, w.Flags...)
	}
	words = append(words, strings.Fields(c.Name)...)
	words = append(words, c.Flags...)
	if slices.ContainsFunc(c.Operands, func(s string) bool { return strings.HasPrefix(s, "-") }) {
		words = append(words, "--")
	}
	return append(words, c.Operands...)
}

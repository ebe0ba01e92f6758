package plain

import (
	"io"
	"strings"

	"roam-mcp/install"
	"roam-mcp/problem"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
)

// teller prints lines, and keeps the first error of that.
type teller struct {
	words  tui.Wording
	glyphs kit.Glyphs
	w      io.Writer
	err    error
}

func (t *teller) print(text string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.w, text)
	}
}

// lineWidth is how long a line of prose gets, in cells.
const lineWidth = 76

// tell prints sentences, wrapped, and the commands in them each on a line of its own.
func (t *teller) tell(sentences ...string) { t.tellIn("", sentences...) }

// tellIn is tell with an indent before each line.
func (t *teller) tellIn(indent string, sentences ...string) {
	for _, sentence := range sentences {
		for _, line := range kit.Wrap(kit.Around(sentence, t.line), lineWidth-len(indent)) {
			t.say(indent + kit.Sanitize(line))
		}
	}
}

// line makes a text fit to be printed: nothing in it is a command to the terminal,
// and typographic signs are replaced where it lacks them.
func (t *teller) line(text string) string { return t.glyphs.Transliterate(kit.Sanitize(text)) }

// say prints a line as it is.
func (t *teller) say(line string) { t.print(line + "\n") }

// fail tells of an error that ends a job and not the program.
func (t *teller) fail(err error) { t.tell(t.words.Error(err)) }

// done tells what a change of the configuration has done, or why not.
func (t *teller) done(err error, text string) {
	if err != nil {
		t.fail(err)
		return
	}
	t.tell(text)
}

// literal prints text to the letter, line by line.
func (t *teller) literal(text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		t.say(kit.Sanitize(strings.ReplaceAll(line, "\t", "  ")))
	}
}

// tellStep tells of a step of a proof that has ended.
func (t *teller) tellStep(step install.ProofStep) {
	switch {
	case step.Running:
	case step.Failed:
		t.tell("Failed: " + t.words.Step(step).Text + ".")
	default:
		t.tell(problem.Sentence(t.words.Step(step).Text))
	}
}

// failProof tells why a proof failed, and what keeps each graph from answering.
func (t *teller) failProof(result install.Proof, err error) {
	step, _ := result.FailedAt(err)
	if step.Graph == "" {
		t.fail(err)
	}
	for _, silence := range t.words.Silences(result.Silent()) {
		t.tell(silence.Advice())
	}
}

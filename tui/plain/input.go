package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"roam-mcp/problem"
)

// CodeInputEnded is the code of the error that Run returns where the input ended
// and an answer was wanted.
const CodeInputEnded problem.Code = "INPUT_ENDED"

// inputEnded says that the input ended at a question; cause is the error of reading,
// nil for a plain end.
func inputEnded(question string, cause error) error {
	what := fmt.Sprintf("The input ended at the question %q, and nothing was done about it.", question)
	if cause != nil {
		what = fmt.Sprintf("The input can't be read any more, at the question %q: %v.", question, cause)
	}
	return &problem.Error{Code: CodeInputEnded, Message: what, Hint: problem.Say("Answer each question with a line of its own, and end with: quit."), Err: cause}
}

// maxLine bounds an answer, in bytes.
const maxLine = 4096

var (
	errTooLong    = fmt.Errorf("that line is longer than %d bytes", maxLine)
	errUnprinted  = errors.New("that line holds characters that can't be part of an answer")
	errInputEnded = errors.New("the input has ended")
)

// line is one line of the input, or why there is none. errTooLong and
// errUnprinted concern that line only.
type line struct {
	text string
	err  error
}

// input reads the whole run's input through one buffer, a line ahead at most.
type input struct {
	lines <-chan line
	kept  *line // came while nothing was asked, and waits for the next question
	ended error // errInputEnded, or what kept the input from being read
}

func newInput(ctx context.Context, from io.Reader) *input {
	lines := make(chan line)
	go func() {
		reader := bufio.NewReaderSize(from, maxLine)
		for {
			l := readLine(reader)
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
			if l.err != nil && !onlyThisLine(l.err) {
				return
			}
		}
	}()
	return &input{lines: lines}
}

func onlyThisLine(err error) bool { return err == errTooLong || err == errUnprinted }

// readLine reads a line of at most maxLine bytes. One that the end of the input
// has cut is no answer: nobody can tell what it would have become.
func readLine(reader *bufio.Reader) line {
	text, err := reader.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		for err == bufio.ErrBufferFull {
			_, err = reader.ReadSlice('\n')
		}
		if err == nil {
			return line{err: errTooLong}
		}
	}
	if errors.Is(err, io.EOF) {
		return line{err: errInputEnded}
	}
	if err != nil {
		return line{err: err}
	}
	answer := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if !utf8.ValidString(answer) || strings.ContainsFunc(answer, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
		return line{err: errUnprinted}
	}
	return line{text: answer}
}

// take notes that the input has ended, and reports whether l is an answer.
func (in *input) take(l line) (line, bool) {
	if l.err != nil && !onlyThisLine(l.err) {
		in.lines, in.ended = nil, l.err
		return line{}, false
	}
	return l, true
}

// endedAt is the error for a question that finds no answer. Where the program has
// ended as well, that is the reason.
func (in *input) endedAt(ctx context.Context, question string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if in.ended == errInputEnded {
		return inputEnded(question, nil)
	}
	return inputEnded(question, in.ended)
}

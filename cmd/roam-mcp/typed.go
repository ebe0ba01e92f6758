package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// longestTyped is the longest input in bytes that a command reads for one answer.
const longestTyped = 4096

// readLine reads one line, the last one without an end too.
func readLine(in io.Reader) ([]byte, error) {
	line, err := bufio.NewReader(io.LimitReader(in, longestTyped)).ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, err
}

// readAll reads to the end of the input.
func readAll(in io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(in, longestTyped)) }

// typed is what read reads from in. A read can't be cut short: where ctx ends
// first it is left behind, and the process ends.
func typed(ctx context.Context, in io.Reader, read func(io.Reader) ([]byte, error)) (string, error) {
	var text []byte
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		text, err = read(in)
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-done:
		return string(text), err
	}
}

// typedHidden is a line from the terminal that is not shown there. ask is called once
// nothing typed is shown any more.
func typedHidden(ctx context.Context, in *os.File, ask func()) (string, error) {
	show, err := hideInput(in)
	if err != nil {
		return "", err
	}
	defer show()
	ask()
	return typed(ctx, in, readLine)
}

// hideInput stops the terminal from showing what is typed, until show is called.
func hideInput(in *os.File) (show func(), err error) {
	before, err := term.GetState(in.Fd())
	if err != nil {
		return nil, err
	}
	hidden := *before
	withoutEcho(&hidden)
	if err := term.SetState(in.Fd(), &hidden); err != nil {
		return nil, err
	}
	return func() { _ = term.Restore(in.Fd(), before) }, nil // a terminal that is gone shows nothing
}

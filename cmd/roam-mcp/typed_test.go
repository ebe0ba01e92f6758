package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestNobodyIsWaitedForOnceTheProgramIsToEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, read := range map[string]func(io.Reader) ([]byte, error){"a line": readLine, "all": readAll} {
		silent, hold := io.Pipe()
		if text, err := typed(ctx, silent, read); !errors.Is(err, context.Canceled) || text != "" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		hold.Close()
	}
}

func TestOnlyAClearYesIsOne(t *testing.T) {
	for typed, want := range map[string]bool{
		"y\n": true, " Yes \r\n": true, "yes": true,
		"": false, "\n": false, "n\n": false, "yes, of course\n": false, "n\ny\n": false, strings.Repeat(" ", longestTyped) + "y\n": false,
	} {
		if got, err := saidYes(t.Context(), strings.NewReader(typed)); got != want || err != nil {
			t.Errorf("%q: %v, %v", typed, got, err)
		}
	}
}

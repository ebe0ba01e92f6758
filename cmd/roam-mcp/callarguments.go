package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"roam-mcp/internal/files"
)

// mostArgument is the longest text in bytes that an argument of a tool takes from a file, or all of
// them from standard input.
const mostArgument = 16 << 20

var argumentName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// arguments reads the arguments of a tool: one JSON object, - for one on standard input, or pairs.
func (a callCommands) arguments(ctx context.Context, args []string) (map[string]any, error) {
	if len(args) == 1 && (args[0] == "-" || strings.HasPrefix(strings.TrimSpace(args[0]), "{")) {
		text := []byte(args[0])
		if args[0] == "-" {
			var err error
			if text, err = a.longInput(ctx); err != nil {
				return nil, err
			}
		}
		return argumentObject(text)
	}
	arguments := map[string]any{}
	for _, arg := range args {
		name, value, err := a.argument(ctx, arg)
		if err != nil {
			return nil, err
		}
		switch had := arguments[name].(type) {
		case nil:
			arguments[name] = value
		case []any:
			arguments[name] = append(had, value)
		default:
			arguments[name] = []any{had, value}
		}
	}
	return arguments, nil
}

// argumentObject reads an object that has all arguments.
func argumentObject(text []byte) (map[string]any, error) {
	var arguments map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&arguments); err != nil {
		return nil, fmt.Errorf("the arguments are no JSON object: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) || arguments == nil {
		return nil, errors.New("the arguments are one JSON object, and nothing else")
	}
	return arguments, nil
}

// argument reads NAME=VALUE, NAME:=JSON, NAME=@FILE or NAME=@-.
func (a callCommands) argument(ctx context.Context, arg string) (name string, value any, err error) {
	name, text, ok := strings.Cut(arg, "=")
	name, isJSON := strings.CutSuffix(name, ":")
	switch {
	case strings.HasPrefix(arg, "{") || arg == "-":
		return "", nil, errors.New("an object of arguments, or - for one on standard input, is the only argument")
	case !ok || !argumentName.MatchString(name):
		return "", nil, fmt.Errorf("%q is no argument: NAME=VALUE is", arg)
	case isJSON:
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil || decoder.More() {
			return "", nil, fmt.Errorf("what follows %s:= is no JSON: %q", name, text)
		}
		return name, value, nil
	case text == "@-":
		data, err := a.longInput(ctx)
		return name, string(data), err
	case strings.HasPrefix(text, "@"):
		data, err := files.Read(text[1:], mostArgument)
		return name, string(data), err
	}
	return name, text, nil
}

// longInput reads standard input to its end.
func (a callCommands) longInput(ctx context.Context) ([]byte, error) {
	text, err := typed(ctx, a.in, func(in io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(in, mostArgument+1)) })
	if err == nil && len(text) > mostArgument {
		err = errors.New("standard input has more than 16 MiB")
	}
	return []byte(text), err
}

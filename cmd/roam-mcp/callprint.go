package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// checkOutput refuses flags that don't go together.
func (o callOptions) checkOutput(toTerminal bool) error {
	some := 0
	for _, given := range []bool{o.json, o.field != "", o.output != ""} {
		if given {
			some++
		}
	}
	switch {
	case some > 1:
		return usageError(errors.New("--json, --field and --output say three ways to print: give one of them"))
	case o.output == "-" && toTerminal:
		return usageError(errors.New("--output - writes bytes, and standard output is a terminal: give a file"))
	case checkAgent(o.agent) != nil:
		return usageError(checkAgent(o.agent))
	}
	return nil
}

// print prints what a tool answered; its error where it failed.
func (a callCommands) print(result *mcp.CallToolResult, o callOptions) error {
	if o.json {
		line, err := json.Marshal(result)
		if err != nil {
			return err
		}
		if err := a.answer("%s\n", visibleJSON(line)); err != nil || !result.IsError {
			return err
		}
		return toolError(result)
	}
	if result.IsError {
		return toolError(result)
	}
	if o.output != "" {
		return a.writeFile(result, o.output)
	}
	if o.field != "" {
		return a.printField(result, o.field)
	}
	others := 0
	for _, content := range result.Content {
		text, ok := content.(*mcp.TextContent)
		if !ok {
			others++
			continue
		}
		if err := a.printText(text.Text); err != nil {
			return err
		}
	}
	if others > 0 {
		a.tell("The reply has %d more that is no text: --output FILE writes it.\n", others)
	}
	return nil
}

// printText prints a text as it is, or JSON: indented on a terminal.
func (a callCommands) printText(text string) error {
	if !isTerminal(a.out) || !json.Valid([]byte(text)) {
		return a.answerLine(text)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(text), "", "  "); err != nil {
		return err
	}
	return a.answer("%s\n", visibleJSON(indented.Bytes()))
}

// answerLine prints a text, with a line's end: byte for byte into a file or pipe.
func (a callCommands) answerLine(text string) error {
	return a.answerData(func(w io.Writer) error {
		_, err := fmt.Fprintln(w, text)
		return err
	})
}

// firstText returns the text that a reply begins with; empty where it has none.
func firstText(result *mcp.CallToolResult) string {
	if len(result.Content) > 0 {
		if first, ok := result.Content[0].(*mcp.TextContent); ok {
			return first.Text
		}
	}
	return ""
}

// printField prints one field of a reply that is a JSON object.
func (a callCommands) printField(result *mcp.CallToolResult, name string) error {
	text := firstText(result)
	if !rawjson.IsObject(json.RawMessage(text)) {
		return usageError(errors.New("the reply is no JSON object, so it has no fields"))
	}
	object := rawjson.Parse(json.RawMessage(text))
	value := object.Get(name)
	if value == nil {
		return usageError(fmt.Errorf("the reply has no field %q", name))
	}
	if text, ok := object.Text(name); ok {
		return a.answerLine(text)
	}
	return a.answerLine(string(value))
}

// writeFile writes the first image or file of a reply.
func (a callCommands) writeFile(result *mcp.CallToolResult, path string) error {
	for _, content := range result.Content {
		var data []byte
		switch content := content.(type) {
		case *mcp.ImageContent:
			data = content.Data
		case *mcp.AudioContent:
			data = content.Data
		case *mcp.EmbeddedResource:
			data = content.Resource.Blob
			if data == nil {
				data = []byte(content.Resource.Text)
			}
		default:
			continue
		}
		if path == "-" {
			return a.answerData(func(w io.Writer) error {
				_, err := w.Write(data)
				return err
			})
		}
		return files.ReplaceAtomically(path, data)
	}
	return usageError(errors.New("the reply has neither an image nor a file: leave out --output"))
}

// toolError returns the error that a tool answered with.
func toolError(result *mcp.CallToolResult) error {
	text := firstText(result)
	var said struct {
		Error struct{ Code, Message, Hint string }
	}
	if json.Unmarshal([]byte(text), &said) != nil || said.Error.Message == "" {
		return failed(cmp.Or(text, "The tool failed, and said nothing."), problem.Hint{})
	}
	return &problem.Error{Code: problem.Code(said.Error.Code), Message: said.Error.Code + ": " + said.Error.Message, Hint: problem.Say("%s", said.Error.Hint)}
}

package surface

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"

	"github.com/dustin/go-humanize"
)

// TextCut ends a text that goes on in the graph.
const TextCut = "... [truncated]"

// CutCharacters returns a text that shows at most max characters (textsafe.FirstShown), with
// TextCut behind it where it was longer.
func CutCharacters(text string, max int) string {
	if first := textsafe.FirstShown(text, max); len(first) < len(text) {
		return first + TextCut
	}
	return text
}

// CheckWhole refuses the text of an argument in which the mark of a cut stands, since
// writing it would delete what was cut off. before is what the text is to replace, which may hold the
// mark itself. whole reads it without a cut.
func CheckWhole(toolName, param, text, before string, whole problem.Task) error {
	if !strings.Contains(text, TextCut) || strings.Contains(before, TextCut) {
		return nil
	}
	refused := Invalid(toolName, "%s holds %q: it was cut when it was read, and writing it would delete the rest.", param, TextCut)
	refused.Hint = problem.Say("Read all of it with %s first.", whole)
	return refused
}

// bareCut is a Cut of a reply whose shape must stay as it is, in a profile with the
// style Bare. What is missing is told beside it, in the note.
type bareCut interface {
	Cut
	shortenBare(reply json.RawMessage, f Frame) (shorter json.RawMessage, note string)
}

// unlabelled is the part of a bareCut that leaves labelled replies alone.
type unlabelled struct{}

func (unlabelled) shorten(object rawjson.Object, _ Frame) (rawjson.Object, error) {
	return object, nil
}

// CutArray keeps as many whole elements of a reply that is an array, from its start,
// as fit. An element that does not fit by itself loses the ends of what is longest in it.
type CutArray struct {
	unlabelled
	// Shrink are fields of the elements. Where the array does not fit, their texts are
	// first cut to ShrinkTo characters, in all elements.
	Shrink   []string
	ShrinkTo int
	// Rest says how to get the elements that are left out, as the end of a sentence,
	// without a full stop; see NextOffset. nil: to ask for less.
	Rest Rest
}

// NextOffset returns a Rest that names the tool of a task, and the offset with which
// it goes on.
func NextOffset(does problem.Task) Rest {
	return func(args Arguments, kept int) problem.Hint {
		offset := args.Number("offset", 0) + kept
		return problem.Say("call %s with offset %d", does, offset).Or("ask for less at once")
	}
}

func (c CutArray) shortenBare(reply json.RawMessage, f Frame) (json.RawMessage, string) {
	list := rawjson.Elements(reply)
	if len(list) == 0 {
		return reply, ""
	}
	var said []string
	if len(c.Shrink) > 0 {
		list = slices.Clone(list)
		for i := range list {
			list[i] = shrinkTexts(list[i], c.Shrink, c.ShrinkTo)
		}
		said = append(said, fmt.Sprintf("Texts are cut to %d characters.", c.ShrinkTo))
		if out := rawjson.Array(list); Fits(out, f.Max) {
			return out, said[0]
		}
	}
	room, kept := f.Max-noteRoom, 0
	for ; kept < len(list); kept++ {
		if room -= textsafe.CountTokens(list[kept]) + 1; room < 0 {
			break
		}
	}
	kept = max(kept, 1)
	out := rawjson.Array(list[:kept])
	if kept == 1 && !Fits(out, f.Max-noteRoom) {
		out = rawjson.Array([]json.RawMessage{trim(list[0], f.Max-noteRoom)})
		said = append(said, "The element itself is cut.")
	}
	return out, strings.Join(append(said, c.shown(len(list), kept, f)), " ")
}

// noteRoom is what the brackets of an array and the note beside it may take, in
// tokens.
const noteRoom = 100

// shown says which elements of how many are there, and how to get the others.
func (c CutArray) shown(len, kept int, f Frame) string {
	offset := max(f.Args.Number("offset", 0), 0)
	rest := "ask for less at once"
	if c.Rest != nil {
		rest = f.World.Say(c.Rest(f.Args, kept))
	}
	text := fmt.Sprintf("Shown %s to %s of %s", humanize.Comma(int64(offset+1)), humanize.Comma(int64(offset+kept)), humanize.Comma(int64(max(f.Total, offset+len))))
	if rest != "" {
		text += "; " + rest
	}
	return text + "."
}

// shrinkTexts cuts the texts of some fields of an object.
func shrinkTexts(element json.RawMessage, fields []string, to int) json.RawMessage {
	object := rawjson.Parse(element)
	changed := false
	for _, field := range fields {
		text, ok := object.Text(field)
		if shorter := CutCharacters(text, to); ok && shorter != text {
			object, changed = object.With(field, shorter), true
		}
	}
	if !changed {
		return element
	}
	return object.JSON()
}

// CutContent cuts a text field of a reply that is an object, at the end of a line
// where it can be. Of the field of a Passage that says where it goes on.
type CutContent struct {
	unlabelled
	Field string
	// Rest is a sentence that is said besides; it may be zero.
	Rest problem.Hint
}

func (c CutContent) shortenBare(reply json.RawMessage, f Frame) (json.RawMessage, string) {
	object := rawjson.Parse(reply)
	text, ok := object.Text(c.Field)
	if !ok {
		return reply, ""
	}
	text = strings.TrimSuffix(text, TextCut)
	kept := firstTokens(text, f.Max-noteRoom-textsafe.CountTokens(object.With(c.Field, TextCut).JSON()))
	if len(kept) == len(text) {
		return reply, ""
	}
	if kept = atLineEnd(kept); kept == "" {
		return trim(reply, f.Max-noteRoom), c.note(f)
	}
	return object.With(c.Field, kept+TextCut).JSON(), c.note(f)
}

func (c CutContent) note(f Frame) string {
	if f.Passage != nil && f.Passage.Field == c.Field {
		return f.World.Say(c.Rest)
	}
	return f.World.Say(problem.Say("The field %s is cut.", c.Field).Append(c.Rest))
}

// firstTokens returns what has at most max tokens, as a value in JSON, of a text from its
// start.
func firstTokens(text string, max int) string {
	fits := func(part string) bool { return Fits(rawjson.Encode(part), max) }
	kept := 0
	for line := range strings.Lines(text) {
		if !fits(line) {
			most := 1 << 10 // a line can be long, and what fits of it is found in time that depends on that alone
			for most < len(line) && fits(firstCharacters(line, most)) {
				most *= 2
			}
			return text[:kept] + firstCharacters(line, longest(most, func(n int) bool { return fits(firstCharacters(line, n)) }))
		}
		max -= textsafe.CountTokens(rawjson.Encode(line))
		kept += len(line)
	}
	return text
}

// CutMembers keeps as many whole elements of a list in a reply that is an object, from
// its start, as fit.
type CutMembers struct {
	unlabelled
	Field string
	Rest  Rest // as that of CutArray
}

func (c CutMembers) shortenBare(reply json.RawMessage, f Frame) (json.RawMessage, string) {
	object := rawjson.Parse(reply)
	list := rawjson.Elements(object.Get(c.Field))
	room, kept := f.Max-noteRoom-textsafe.CountTokens(object.With(c.Field, json.RawMessage("[]")).JSON()), 0
	for ; kept < len(list); kept++ {
		if room -= textsafe.CountTokens(list[kept]) + 1; room < 0 {
			break
		}
	}
	if kept == len(list) {
		return reply, ""
	}
	text := fmt.Sprintf("Shown %s of %s %s", humanize.Comma(int64(kept)), humanize.Comma(int64(len(list))), c.Field)
	if offset := f.Args.Number("offset", 0); f.Total > 0 {
		text = fmt.Sprintf("Shown %s to %s of %s", humanize.Comma(int64(offset+1)), humanize.Comma(int64(offset+kept)), humanize.Comma(int64(f.Total)))
	}
	if rest := f.World.Say(c.Rest(f.Args, kept)); rest != "" {
		text += "; " + rest
	}
	return object.With(c.Field, rawjson.Array(list[:kept])).JSON(), text + "."
}

// FitBare cuts a reply of the style Bare that is longer than f.Max tokens, and says
// what is missing. The reply stays what it is: an array, or an object with the same
// fields.
func FitBare(reply json.RawMessage, f Frame) (shorter json.RawMessage, note string, err error) {
	var notes []string
	for _, cut := range append(slices.Clip(f.Tool.Cuts), CutArray{}) {
		if Fits(reply, f.Max) {
			return reply, strings.Join(notes, " "), nil
		}
		said := ""
		if bare, ok := cut.(bareCut); ok {
			if _, arrays := cut.(CutArray); arrays == rawjson.IsObject(reply) {
				continue
			}
			reply, said = bare.shortenBare(reply, f)
		} else if rawjson.IsObject(reply) { // of a tool that all profiles share
			object, err := cut.shorten(rawjson.Parse(reply), f)
			if err != nil {
				return nil, "", err
			}
			reply = object.JSON()
		}
		if said != "" {
			notes = append(notes, said)
		}
	}
	size := len(reply)
	if rawjson.IsObject(reply) && !Fits(reply, f.Max) {
		reply = trim(reply, f.Max-noteRoom)
		notes = append(notes, "The reply is cut.")
	}
	if !Fits(reply, f.Max) {
		return nil, "", f.tooLarge(size)
	}
	return reply, strings.Join(notes, " "), nil
}

// maxHalvings bounds how often something in an element is halved: what has so many small
// parts can't be cut in a way that is of use.
const maxHalvings = 200

// trim halves the longest text or list in an object until the object has at most max
// tokens, or nothing is left to halve.
func trim(element json.RawMessage, max int) json.RawMessage {
	for range maxHalvings {
		if Fits(element, max) {
			break
		}
		shorter, ok := halveLongest(element)
		if !ok {
			break
		}
		element = shorter
	}
	return element
}

// halveLongest halves the longest member of an object: a text by its characters, a list
// by its elements, and in an object again its longest member.
func halveLongest(value json.RawMessage) (json.RawMessage, bool) {
	if text := ""; json.Unmarshal(value, &text) == nil && string(value) != "null" {
		characters := []rune(strings.TrimSuffix(text, TextCut))
		if len(characters) == 0 {
			return value, false
		}
		return rawjson.Encode(string(characters[:len(characters)/2]) + TextCut), true
	}
	if list := rawjson.Elements(value); len(list) > 1 {
		return rawjson.Array(list[:len(list)/2]), true
	} else if len(list) == 1 {
		inner, ok := halveLongest(list[0])
		return rawjson.Array([]json.RawMessage{inner}), ok
	}
	object := slices.Clone(rawjson.Parse(value))
	order := make([]int, len(object))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(object[b].Value) - len(object[a].Value) })
	for _, i := range order {
		if shorter, ok := halveLongest(object[i].Value); ok {
			object[i].Value = shorter // a key may be there twice
			return object.JSON(), true
		}
	}
	return value, false
}

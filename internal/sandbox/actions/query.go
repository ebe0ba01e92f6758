package actions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/sandbox/desk"
)

// queryActions answer Datalog and pulls. Each name has its own style of keys
// (LOCAL_API.md 2.2); hidden blocks are not left out.
func queryActions() map[string]action {
	stripped := action{desk.Read, answerQuery(datalog.Stripped)}
	qualified := action{desk.Read, answerQuery(datalog.Qualified)}
	one := action{desk.Read, pull}
	many := action{desk.Read, pullMany}
	return map[string]action{
		"q": stripped, "data.q": stripped, "data.backend.q": stripped, "data.async.q": stripped,
		"data.fast.q": qualified, "data.async.fast.q": qualified,
		"pull": one, "data.pull": one, "data.async.pull": one,
		"data.pull_many": many, "data.pull-many": many, "data.async.pull_many": many,
	}
}

// answerQuery returns the action that answers a query with its inputs. It takes 20
// seconds at most, or what :timeout says, as in Roam (LOCAL_API.md 1.7).
func answerQuery(style datalog.KeyStyle) func(*call) (any, error) {
	return func(c *call) (any, error) {
		var text string
		if err := c.positional(0, "the query", &text); err != nil {
			return nil, err
		}
		if text == "" {
			return nil, c.missing("the query, as text,")
		}
		for _, argument := range c.Args {
			if !c.Memory.Hold(perByte * len(argument)) {
				return nil, c.Memory.Full()
			}
		}
		inputs, err := c.inputs()
		if err != nil {
			return nil, err
		}
		db := c.read()
		query, inputs, err := datalogQuery{db: db, now: c.Now, parsed: c.registry.parsed}.prepare(text, inputs)
		if err != nil {
			return nil, err
		}
		result, err := datalog.Run(c.ctx, db, query, inputs, datalog.Options{Memory: c.Memory})
		if err != nil {
			return nil, err
		}
		reply, err := result.JSON(style)
		return json.RawMessage(reply), err
	}
}

// perByte is how much memory a byte of a query or an input takes at most once it is
// read, as in [0,0,0].
const perByte = 64

// IsQuery reports whether an action is a query or a pull.
func IsQuery(name string) bool {
	_, ok := queryActions()[name]
	return ok
}

// Entities returns how many entities a query or pull is given: those of its lists. For a
// query that is given no list it is all that the snapshot has.
func (c Call) Entities(db *graphdb.DB) int {
	all := db.Count(graphdb.BlockUID)
	given, lists := 0, strings.HasSuffix(c.Action, "pull")
	if lists {
		given = 1
	}
	for _, argument := range c.Args[min(1, len(c.Args)):] {
		if bytes.HasPrefix(bytes.TrimSpace(argument), []byte("[")) {
			given, lists = given+len(rawjson.Elements(argument)), true
		}
	}
	if !lists {
		return all
	}
	return min(given, all)
}

// inputs decodes the arguments after the query.
func (c *call) inputs() ([]any, error) {
	inputs := make([]any, 0, max(0, len(c.Args)-1))
	for i := 1; i < len(c.Args); i++ {
		input, err := c.anything(i, fmt.Sprintf("input %d", i))
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	return inputs, nil
}

// anything decodes an argument of any type, with numbers as json.Number; nil where
// there is none.
func (c *call) anything(at int, name string) (any, error) {
	if at >= len(c.Args) {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(c.Args[at]))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("%s: %s: %s", c.Action, name, DescribeJSON(err))
	}
	return value, nil
}

// pull is data.pull: null where the entity does not exist.
func pull(c *call) (any, error) {
	pattern, entity, err := c.pullArguments("the entity id")
	if err != nil {
		return nil, err
	}
	found, err := datalog.Pull(c.ctx, c.read(), pattern, entity, datalog.Options{Memory: c.Memory})
	if err != nil {
		return nil, err
	}
	reply, err := c.Memory.JSON(found, datalog.Qualified)
	return json.RawMessage(reply), err
}

// pullMany is data.pull_many: a list with null for entities that do not exist.
func pullMany(c *call) (any, error) {
	pattern, ids, err := c.pullArguments("the entity ids")
	if err != nil {
		return nil, err
	}
	entities, ok := ids.([]any)
	if !ok {
		return nil, fmt.Errorf("%s: the entity ids are a list", c.Action)
	}
	found, err := datalog.PullMany(c.ctx, c.read(), pattern, entities, datalog.Options{Memory: c.Memory})
	if err != nil {
		return nil, err
	}
	reply, err := c.Memory.JSON(found, datalog.Qualified)
	return json.RawMessage(reply), err
}

func (c *call) pullArguments(what string) (pattern, entity any, err error) {
	if pattern, err = c.anything(0, "the pattern"); err != nil {
		return nil, nil, err
	}
	if entity, err = c.anything(1, what); err != nil {
		return nil, nil, err
	}
	switch {
	case pattern == nil:
		return nil, nil, c.missing("the pattern")
	case entity == nil:
		return nil, nil, c.missing(what)
	}
	return pattern, entity, nil
}

// dateSymbols has the forms of LOCAL_API.md 9.8: a day or span in words, a number
// of spans from now, or a date; and which end of it is meant.
var dateSymbols = lazyregexp.New(`^(?:(today|yesterday|tomorrow)|(this|last|next)-(week|month|quarter|year)|([+-]\d{1,4})([DWMQY])|=(\d{4}-\d{2}-\d{2}))(?:-(start|end))?$`)

// dateSymbol returns the value of a symbol ms/… in milliseconds since 1970, and of
// dnp/… as a daily note's title; ok is false for any other symbol. Days are those
// of now's time zone, and weeks begin on Sunday.
func dateSymbol(symbol string, now time.Time) (value any, ok bool, err error) {
	kind, name, found := strings.Cut(symbol, "/")
	if !found || kind != "ms" && kind != "dnp" {
		return nil, false, nil
	}
	m := dateSymbols.FindStringSubmatch(name)
	if m == nil {
		return nil, false, fmt.Errorf("unknown symbol %s: known are forms such as %s/today-start, %s/this-week-end, %s/-5D-start and %s/=2025-01-01-start",
			Loggable(symbol), kind, kind, kind, kind)
	}
	start, unit, err := spanOf(m, now)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", Loggable(symbol), err)
	}
	end := m[7]
	if end == "" && (kind == "ms" || unit != 'D') {
		return nil, false, fmt.Errorf("the symbol %s ends in -start or -end", Loggable(symbol))
	}
	if kind == "dnp" {
		if end == "end" {
			start = later(start, unit, 1).AddDate(0, 0, -1)
		}
		return outline.DailyTitle(start), true, nil
	}
	if end == "end" {
		return later(start, unit, 1).UnixMilli() - 1, true, nil
	}
	return start.UnixMilli(), true, nil
}

// spanOf returns the start of the span that a symbol stands for, and its unit: D,
// W, M, Q or Y.
func spanOf(m []string, now time.Time) (start time.Time, unit byte, err error) {
	switch {
	case m[1] != "":
		n := map[string]int{"yesterday": -1, "tomorrow": 1}[m[1]]
		return later(startOf(now, 'D'), 'D', n), 'D', nil
	case m[2] != "":
		n := map[string]int{"last": -1, "next": 1}[m[2]]
		unit = strings.ToUpper(m[3])[0]
		return later(startOf(now, unit), unit, n), unit, nil
	case m[4] != "":
		n, err := strconv.Atoi(m[4])
		unit = m[5][0]
		return later(startOf(now, unit), unit, n), unit, err
	}
	day, err := time.ParseInLocation(time.DateOnly, m[6], now.Location())
	return day, 'D', err
}

func startOf(t time.Time, unit byte) time.Time {
	year, month, day := t.Date()
	switch unit {
	case 'W':
		day -= int(t.Weekday())
	case 'M':
		day = 1
	case 'Q':
		month, day = month-(month-1)%3, 1
	case 'Y':
		month, day = time.January, 1
	}
	return time.Date(year, month, day, 0, 0, 0, 0, t.Location())
}

// later returns the start of the span that begins n spans after start.
func later(start time.Time, unit byte, n int) time.Time {
	switch unit {
	case 'W':
		return start.AddDate(0, 0, 7*n)
	case 'M':
		return start.AddDate(0, n, 0)
	case 'Q':
		return start.AddDate(0, 3*n, 0)
	case 'Y':
		return start.AddDate(n, 0, 0)
	}
	return start.AddDate(0, 0, n)
}

package actions

import (
	"bytes"
	"encoding/json"
	"fmt"

	"roam-mcp/graphdb/datalog"
	"roam-mcp/sandbox/desk"
	"roam-mcp/sandbox/internal/wire"
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
		inputs, err := c.inputs()
		if err != nil {
			return nil, err
		}
		db := c.read()
		query, inputs, err := datalogQuery{db: db, now: c.Now, parsed: c.registry.parsed}.prepare(text, inputs)
		if err != nil {
			return nil, err
		}
		result, err := datalog.Run(c.ctx, db, query, inputs, datalog.Options{})
		if err != nil {
			return nil, err
		}
		return json.RawMessage(result.JSON(style)), nil
	}
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
		return nil, fmt.Errorf("%s: %s: %s", c.Action, name, wire.DescribeJSON(err))
	}
	return value, nil
}

// pull is data.pull: null where the entity does not exist.
func pull(c *call) (any, error) {
	pattern, entity, err := c.pullArguments("the entity id")
	if err != nil {
		return nil, err
	}
	found, err := datalog.Pull(c.ctx, c.read(), pattern, entity, datalog.Options{})
	if err != nil {
		return nil, err
	}
	return json.RawMessage(datalog.AppendJSON(nil, found, datalog.Qualified)), nil
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
	found, err := datalog.PullMany(c.ctx, c.read(), pattern, entities, datalog.Options{})
	if err != nil {
		return nil, err
	}
	return json.RawMessage(datalog.AppendJSON(nil, found, datalog.Qualified)), nil
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

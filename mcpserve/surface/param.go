package surface

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/problem"
)

// Kind is the JSON type of a parameter, or of a field of a reply.
type Kind int

// The kinds there are. Schemas hold no unions of types, since strict clients
// refuse them.
const (
	String Kind = iota
	Integer
	Boolean
	Strings // array of strings
	Object  // any object, passed on as it came
	// Order is a place among siblings: "first", "last" or a number from 0. Its
	// schema says string; a bare number is accepted all the same.
	Order
	// Values is an array of any JSON values. Its schema says strings; others are
	// accepted all the same.
	Values
	Objects // array of objects, each with the parameters in Fields
)

// Param describes one parameter of a tool, or one field of its reply. The schema
// that clients see and the check of what they send come from it.
type Param struct {
	Name     string
	Kind     Kind
	About    problem.Hint
	Required bool
	Choices  []string // the only values of a String
	Min, Max *int     // the smallest and the greatest Integer; nil: no bound
	NonEmpty bool     // a String must hold more than white space
	Title    bool     // the title of a page, which may come as a link: [[Home]] for Home
	// Unlisted parameters are accepted, and named in the guidelines reply, but
	// not in the tool list.
	Unlisted bool
	Fields   []Param // of each object of Objects
}

// Between returns the bounds of an Integer.
func Between(low, high int) (min, max *int) { return &low, &high }

// AtLeast returns the lower bound of an Integer.
func AtLeast(low int) *int { return &low }

// NotListed returns a parameter that is listed elsewhere as one that is not.
func NotListed(p Param) Param {
	p.Unlisted = true
	return p
}

// schemaNode is the part of JSON Schema that is used here: no unions of types,
// no bare true, no anyOf. The order of its fields is the order on the wire.
type schemaNode struct {
	Type                 string      `json:"type"`
	Description          string      `json:"description,omitempty"`
	Properties           *properties `json:"properties,omitempty"`
	Required             []string    `json:"required,omitempty"`
	Enum                 []string    `json:"enum,omitempty"`
	Items                *schemaNode `json:"items,omitempty"`
	AdditionalProperties *bool       `json:"additionalProperties,omitempty"`
}

// properties keeps the order in which a tool declares its parameters.
type properties []property

type property struct {
	name string
	node schemaNode
}

var _ json.Marshaler = properties(nil)

func (p properties) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, each := range p {
		if i > 0 {
			out = append(out, ',')
		}
		node, err := json.Marshal(each.node)
		if err != nil {
			return nil, err
		}
		out = strconv.AppendQuote(out, each.name)
		out = append(out, ':')
		out = append(out, node...)
	}
	return append(out, '}'), nil
}

// node leaves bounds to the check of the arguments, which names them, and an
// enum to a description that names every choice.
func (p Param) node(world problem.World) schemaNode {
	node := schemaNode{Description: world.Say(p.About)}
	if slices.ContainsFunc(p.Choices, func(choice string) bool { return !strings.Contains(node.Description, choice) }) {
		node.Enum = p.Choices
	}
	switch p.Kind {
	case Integer:
		node.Type = "integer"
	case Boolean:
		node.Type = "boolean"
	case Strings, Values:
		node.Type, node.Items = "array", &schemaNode{Type: "string"}
	case Object:
		node.Type = "object"
	case Objects:
		node.Type, node.Items = "array", &schemaNode{Type: "object"}
	case String, Order:
		node.Type = "string"
	}
	return node
}

func objectSchema(params []Param, world problem.World) schemaNode {
	list := properties{}
	var required []string
	for _, p := range params {
		if p.Unlisted {
			continue
		}
		list = append(list, property{p.Name, p.node(world)})
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return schemaNode{Type: "object", Properties: &list, Required: required}
}

// inputSchema is what clients may send: the listed parameters and no others.
func inputSchema(params []Param, world problem.World) schemaNode {
	schema, closed := objectSchema(params, world), false
	schema.AdditionalProperties = &closed
	return schema
}

// outputSchema describes the reply of a write: all fields optional, others
// allowed, so that it can grow. It says no more than the types of what is the
// tool's own, since every agent pays for the tool list on every turn.
func outputSchema(fields []Param, world problem.World) schemaNode {
	schema := objectSchema(fields, world)
	if len(fields) == 0 {
		schema.Properties = nil
	}
	return schema
}

package mcpserve

import (
	"encoding/json"
	"strconv"
)

// kind is the JSON type of a parameter or of a field of a reply.
type kind int

const (
	kindString kind = iota
	kindInteger
	kindBoolean
	kindStrings // array of strings
	kindObject  // any object, handed on as it came
	// kindOrder is a place among siblings: "first", "last" or a number from 0.
	// Its schema says string, since strict clients refuse unions of types; a
	// bare number is accepted all the same.
	kindOrder
)

// param describes one parameter of a tool, or one field of its reply. The
// schema that clients see and the check of what they send come from it.
type param struct {
	name     string
	kind     kind
	about    string
	required bool
	choices  []string // the only values of a string
	min      *int     // smallest integer
	max      *int
	nonEmpty bool // a string must hold more than space
}

func between(low, high int) (min, max *int) { return &low, &high }

func atLeast(low int) *int { return &low }

// schemaNode is the part of JSON Schema that is used here: no unions of types,
// no bare true, no anyOf. The order of its fields is the order on the wire.
type schemaNode struct {
	Type                 string      `json:"type"`
	Description          string      `json:"description,omitempty"`
	Properties           *properties `json:"properties,omitempty"`
	Required             []string    `json:"required,omitempty"`
	Enum                 []string    `json:"enum,omitempty"`
	Minimum              *int        `json:"minimum,omitempty"`
	Maximum              *int        `json:"maximum,omitempty"`
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

func (p param) node() schemaNode {
	node := schemaNode{Description: p.about, Enum: p.choices, Minimum: p.min, Maximum: p.max}
	switch p.kind {
	case kindInteger:
		node.Type = "integer"
	case kindBoolean:
		node.Type = "boolean"
	case kindStrings:
		node.Type, node.Items = "array", &schemaNode{Type: "string"}
	case kindObject:
		node.Type = "object"
	case kindString, kindOrder:
		node.Type = "string"
	}
	return node
}

func objectSchema(params []param) schemaNode {
	list := properties{}
	var required []string
	for _, p := range params {
		list = append(list, property{p.name, p.node()})
		if p.required {
			required = append(required, p.name)
		}
	}
	return schemaNode{Type: "object", Properties: &list, Required: required}
}

func inputSchema(params []param) schemaNode {
	schema, closed := objectSchema(params), false
	schema.AdditionalProperties = &closed
	return schema
}

// outputSchema describes the reply of a write: all fields optional, others
// allowed, so that it can grow. It says no more than the types, since every
// agent pays for the tool list on every turn.
func outputSchema(fields []param) schemaNode {
	return objectSchema(append(fields[:len(fields):len(fields)],
		param{name: "graph", kind: kindString},
		param{name: "graphName", kind: kindString},
	))
}

package mcpserve

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
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
	// kindValues is an array of any JSON values. Its schema says strings, since
	// strict clients refuse items without a type; others are accepted all the same.
	kindValues
	kindObjects // array of objects, each with the parameters in fields
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
	title    bool // a page's title, which may come as a link: [[Home]] for Home
	// unlisted: accepted, and named in the guidelines reply, but not in the tool
	// list, which every agent pays for on every turn.
	unlisted bool
	fields   []param // of each object of kindObjects
}

func between(low, high int) (min, max *int) { return &low, &high }

func atLeast(low int) *int { return &low }

// unlisted leaves a parameter that is listed elsewhere out of a tool's schema.
func unlisted(p param) param {
	p.unlisted = true
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

// namesChoices reports whether the description names every choice already, which
// spares the list an enum.
func (p param) namesChoices() bool {
	return !slices.ContainsFunc(p.choices, func(choice string) bool { return !strings.Contains(p.about, choice) })
}

// node leaves bounds to the check of the arguments, which names them.
func (p param) node() schemaNode {
	node := schemaNode{Description: p.about}
	if !p.namesChoices() {
		node.Enum = p.choices
	}
	switch p.kind {
	case kindInteger:
		node.Type = "integer"
	case kindBoolean:
		node.Type = "boolean"
	case kindStrings, kindValues:
		node.Type, node.Items = "array", &schemaNode{Type: "string"}
	case kindObject:
		node.Type = "object"
	case kindObjects:
		node.Type, node.Items = "array", &schemaNode{Type: "object"}
	case kindString, kindOrder:
		node.Type = "string"
	}
	return node
}

func objectSchema(params []param) schemaNode {
	list := properties{}
	var required []string
	for _, p := range params {
		if p.unlisted {
			continue
		}
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
// allowed, so that it can grow. It says no more than the types of what is the
// tool's own, since every agent pays for the tool list on every turn.
func outputSchema(fields []param) schemaNode {
	schema := objectSchema(fields)
	if len(fields) == 0 {
		schema.Properties = nil
	}
	return schema
}

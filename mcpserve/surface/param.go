package surface

import (
	"encoding/json"
	"strconv"

	"roam-mcp/internal/problem"
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
	// Values is a list of any JSON values. Its schema says a string that holds a
	// JSON array, since an array without a type of its items is refused by some
	// hosts, and one of strings would change what a number means; an array is
	// accepted all the same. With Fields its schema says an array of such objects.
	Values
	Objects // array of objects, each with the parameters in Fields
	Number  // any number, in its bounds
	Ignored // of no tool: what a client adds to every call
)

// Param describes one parameter of a tool, or one field of its reply. The schema
// that clients see and the check of what they send come from it.
type Param struct {
	Name     string
	Kind     Kind
	About    problem.Hint
	Required bool
	Choices  []string // the only values of a String
	Default  any      // what absence means, where one value says it; nil: the description does
	Min, Max *int     // the smallest and the greatest Integer or Number, or length of a list; nil: no bound
	Clamp    bool     // an Integer beyond its bounds becomes the nearest, and the reply says so
	Loose    bool     // the schema of an Integer says number, as documents have it that profiles take over
	NonEmpty bool     // a String must hold more than white space, Strings at least one
	Null     bool     // null is a value by itself (Arguments.IsNull), and not as if it was left out
	Markdown bool     // a String is Markdown, of which blocks are made
	Title    bool     // the title of a page, which may come as a link: [[Home]] for Home
	// UID says that a String, or each of Strings, is the uid of a block, or with Page
	// of a page or block. Page alone says that it is the title of a page. What else
	// names one is put in its place: see Tool.Resolve.
	UID, Page bool
	// Makes says of the title of a page that it is made where there is none.
	Makes bool
	// Named says that a String, or each of Strings, names a page or block in any way, and
	// that the tool finds it.
	Named bool
	// Tags says that Strings are tags. One that lists several ("a, b", "#a #b", "[a, b]") is
	// these, unless it is the title of a page.
	Tags   bool
	AsRead bool    // the text of one block as a read shows it, whose tag the tool takes off
	Sought bool    // a text to compare with what is there, and not to write
	Fields []Param // of each object of Objects, and of Values in the schema
}

// IsSought reports whether what is sent is compared with what is there, and not written.
func (p Param) IsSought() bool { return p.Sought || p.Page && !p.Makes || p.Named }

// Between returns the bounds of an Integer.
func Between(low, high int) (min, max *int) { return &low, &high }

// AtLeast returns the lower bound of an Integer.
func AtLeast(low int) *int { return &low }

// schemaNode is the part of JSON Schema that is used here: no unions of types,
// no bare true, no anyOf. The order of its fields is the order on the wire; see
// verbatimNode for the other one.
type schemaNode struct {
	Type        string      `json:"type"`
	Description string      `json:"description,omitempty"`
	Enum        []string    `json:"enum,omitempty"`
	Default     any         `json:"default,omitempty"`
	Minimum     *int        `json:"minimum,omitempty"`
	Maximum     *int        `json:"maximum,omitempty"`
	MinItems    *int        `json:"minItems,omitempty"`
	MaxItems    *int        `json:"maxItems,omitempty"`
	Items       *schemaNode `json:"items,omitempty"`
	Properties  *properties `json:"properties,omitempty"`
	Additional  bool        `json:"additionalProperties,omitempty"`
	Required    []string    `json:"required,omitempty"`
}

// verbatimNode is a schemaNode in the order that the documents have whose tools
// profiles take over word by word.
type verbatimNode struct {
	Type        string        `json:"type"`
	Items       *verbatimNode `json:"items,omitempty"`
	MinItems    *int          `json:"minItems,omitempty"`
	MaxItems    *int          `json:"maxItems,omitempty"`
	Enum        []string      `json:"enum,omitempty"`
	Minimum     *int          `json:"minimum,omitempty"`
	Maximum     *int          `json:"maximum,omitempty"`
	Default     any           `json:"default,omitempty"`
	Description string        `json:"description,omitempty"`
	Properties  *properties   `json:"properties,omitempty"`
	Additional  bool          `json:"additionalProperties,omitempty"`
	Required    []string      `json:"required,omitempty"`
}

// inVerbatimOrder returns the node, and all in it, in the order of verbatimNode.
func (n schemaNode) inVerbatimOrder() verbatimNode {
	out := verbatimNode{
		Type: n.Type, MinItems: n.MinItems, MaxItems: n.MaxItems, Enum: n.Enum, Minimum: n.Minimum, Maximum: n.Maximum,
		Default: n.Default, Description: n.Description, Additional: n.Additional, Required: n.Required,
	}
	if n.Items != nil {
		items := n.Items.inVerbatimOrder()
		out.Items = &items
	}
	if n.Properties != nil {
		list := make(properties, len(*n.Properties))
		for i, each := range *n.Properties {
			list[i] = property{each.name, each.node.(schemaNode).inVerbatimOrder()}
		}
		out.Properties = &list
	}
	return out
}

// properties keeps the order in which a tool declares its parameters.
type properties []property

type property struct {
	name string
	node any // a schemaNode, or a verbatimNode
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

func (p Param) node(world problem.World) schemaNode {
	node := schemaNode{Description: world.Say(p.About), Enum: p.Choices, Default: p.Default}
	switch p.Kind {
	case Number:
		node.Type, node.Minimum, node.Maximum = "number", p.Min, p.Max
	case Integer:
		node.Type, node.Minimum, node.Maximum = "integer", p.Min, p.Max
		if p.Clamp { // a host must not refuse what is put right here
			node.Minimum, node.Maximum = nil, nil
		}
		if p.Loose {
			node.Type = "number"
		}
	case Boolean:
		node.Type = "boolean"
	case Strings:
		node.Type, node.Items, node.MinItems, node.MaxItems = "array", &schemaNode{Type: "string"}, p.Min, p.Max
	case Object:
		node.Type, node.Additional = "object", true // Gemini refuses an object that says nothing of what may be in it
	case Values, Objects:
		if len(p.Fields) == 0 {
			node.Type = "string"
			break
		}
		items := objectSchema(p.Fields, world)
		node.Type, node.Items, node.MinItems, node.MaxItems = "array", &items, p.Min, p.Max
	case String, Order, Ignored:
		node.Type = "string"
	}
	return node
}

// inputSchema describes the arguments of a tool.
func inputSchema(params []Param, world problem.World, verbatim bool) any {
	schema := objectSchema(params, world)
	if verbatim {
		return schema.inVerbatimOrder()
	}
	return schema
}

// objectSchema describes an object with these fields. It is open: an argument that
// a tool does not have is answered by the tool, with the names of those it has.
func objectSchema(params []Param, world problem.World) schemaNode {
	list := properties{}
	var required []string
	for _, p := range params {
		list = append(list, property{p.Name, p.node(world)})
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return schemaNode{Type: "object", Properties: &list, Required: required}
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

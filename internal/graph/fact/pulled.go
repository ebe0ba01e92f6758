package fact

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/internal/rawjson"
)

// pulled is an entity as the patterns ask for it. What a pattern does not ask for, and
// what is not stored, is zero.
type pulled struct {
	uid                            string
	title, text                    *string
	heading, order                 int
	open                           *bool
	align, childrenView, blockView string
	props, day                     json.RawMessage
	shortcut                       *int
	created, edited                int64
	name                           string // of a user
	other                          []string
	bareUID, bareChildren          bool // they came under the names of the attributes

	page, editor *pulled
	parents      []pulled
	children     []pulled
	referrers    []pulled
	above        []pulled
}

// maxNesting bounds how deep values stand in each other, two levels for a block below
// another.
const maxNesting = 10_000

// decoder reads pulled entities in one pass, however deep they are nested.
type decoder struct{ *rawjson.Cursor }

// parsePulled reads the answer of data.pull_many. What does not exist is left out.
func parsePulled(answer json.RawMessage) ([]pulled, error) {
	if at, deeper := rawjson.DeeperThan(answer, maxNesting); deeper {
		return nil, fmt.Errorf("byte %d: values stand in each other too deep", at)
	}
	if !rawjson.Valid(answer) {
		return nil, errors.New("it is not JSON")
	}
	d := decoder{rawjson.NewCursor(answer)}
	if d.Next() != '[' {
		return nil, errors.New("it is no list")
	}
	found, err := d.entities()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(p pulled) bool { return p.uid == "" }), nil
}

// entities reads a list of entities, or one that came without a list, or null.
func (d decoder) entities() (found []pulled, err error) {
	switch d.Next() {
	case 'n':
		d.Value()
	case '{':
		found = make([]pulled, 1)
		return found, d.entity(&found[0])
	case '[':
		for d.Open(); d.More(); {
			switch d.Next() {
			case '{':
				found = append(found, pulled{})
				if err := d.entity(&found[len(found)-1]); err != nil {
					return nil, err
				}
			case 'n': // there is no such entity
				d.Value()
			default:
				return nil, fmt.Errorf("%.40s in place of an entity", d.Value())
			}
		}
	default:
		err = fmt.Errorf("%.40s in place of an entity", d.Value())
	}
	return found, err
}

// entity reads an object.
func (d decoder) entity(p *pulled) error {
	for d.Open(); d.More(); {
		key := d.Key()
		if err := d.member(p, key); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	// What a pattern with * gives besides is there under both names. Where :as was not heeded,
	// it would be taken for missing.
	if p.bareUID && p.uid == "" || p.bareChildren && p.children == nil {
		return errors.New("attributes have other names than were asked for")
	}
	return nil
}

func (d decoder) member(p *pulled, key string) (err error) {
	switch key {
	case "f-page":
		p.page, err = d.one()
	case "f-user":
		p.editor, err = d.one()
	case "f-_children":
		p.parents, err = d.entities()
	case "f-children":
		p.children, err = d.entities()
	case "f-_refs":
		p.referrers, err = d.entities()
	case "f-parents":
		p.above, err = d.entities()
	default:
		field := p.field(key)
		if field == nil {
			field = new(json.RawMessage)
			last := lastPart(key)
			p.bareUID, p.bareChildren = p.bareUID || last == "uid", p.bareChildren || last == "children"
			if !knownAttribute(key) {
				p.other = append(p.other, key)
			}
		}
		err = decodeInto(field, d.Value())
	}
	return err
}

// lastPart returns the name of an attribute without what stands in front of it.
func lastPart(key string) string { return key[strings.LastIndexAny(key, ":/")+1:] }

// decodeInto decodes a value as json.Unmarshal does. Most are short texts and whole numbers,
// which take a tenth of its time.
func decodeInto(field any, value json.RawMessage) error {
	switch field := field.(type) {
	case *string:
		if text, ok := rawjson.DecodeString(value); ok {
			*field = text
			return nil
		}
	case **string:
		if text, ok := rawjson.DecodeString(value); ok {
			*field = &text
			return nil
		}
	case *int:
		if n, err := strconv.Atoi(string(value)); err == nil {
			*field = n
			return nil
		}
	case *int64:
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			*field = n
			return nil
		}
	}
	return json.Unmarshal(value, field)
}

// one reads an entity, or null.
func (d decoder) one() (*pulled, error) {
	found, err := d.entities()
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// field returns where the value of a key belongs; nil where it is not known.
func (p *pulled) field(key string) any {
	switch key {
	case "f-uid":
		return &p.uid
	case "f-title":
		return &p.title
	case "f-string":
		return &p.text
	case "f-heading":
		return &p.heading
	case "f-open":
		return &p.open
	case "f-align":
		return &p.align
	case "f-children-view":
		return &p.childrenView
	case "f-block-view":
		return &p.blockView
	case "f-props":
		return &p.props
	case "f-order":
		return &p.order
	case "f-shortcut":
		return &p.shortcut
	case "f-day":
		return &p.day
	case "f-created":
		return &p.created
	case "f-edited":
		return &p.edited
	case "f-name":
		return &p.name
	}
	return nil
}

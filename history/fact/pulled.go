package fact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// decoder reads pulled entities in one pass, however deep they are nested. plain: they
// were pulled without options.
type decoder struct {
	*json.Decoder
	plain bool
}

// parsePulled reads the answer of data.pull_many, or that of a query that finds one
// pull. What does not exist is left out.
func parsePulled(answer json.RawMessage, plain bool) ([]pulled, error) {
	if at, deeper := rawjson.DeeperThan(answer, maxNesting); deeper {
		return nil, fmt.Errorf("byte %d: values stand in each other too deep", at)
	}
	d := decoder{json.NewDecoder(bytes.NewReader(answer)), plain}
	if err := d.delimiter('['); err != nil {
		return nil, err
	}
	found, err := d.rest()
	if err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("something follows the list")
	}
	return slices.DeleteFunc(found, func(p pulled) bool { return p.uid == "" }), nil
}

// delimiter reads the start of a list or an object.
func (d decoder) delimiter(want json.Delim) error {
	token, err := d.Token()
	if err == nil && token != want {
		err = fmt.Errorf("%v in place of %v", token, want)
	}
	return err
}

// entities reads a list of entities, or one that came without a list, or null.
func (d decoder) entities() ([]pulled, error) {
	token, err := d.Token()
	switch {
	case err != nil || token == nil:
		return nil, err
	case token == json.Delim('['):
		return d.rest()
	case token == json.Delim('{'):
		one, err := d.entity()
		return []pulled{one}, err
	}
	return nil, fmt.Errorf("%v in place of an entity", token)
}

// rest reads a list that has begun. Lists in it, which are the rows of a query, are
// parts of it.
func (d decoder) rest() ([]pulled, error) {
	var found []pulled
	for d.More() {
		some, err := d.entities()
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	_, err := d.Token()
	return found, err
}

// entity reads an object that has begun.
func (d decoder) entity() (p pulled, err error) {
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return p, err
		}
		key := token.(string) // the only token that it gives here
		if err := d.member(&p, key); err != nil {
			return p, fmt.Errorf("%s: %w", key, err)
		}
	}
	_, err = d.Token()
	// What a pattern with * gives besides is there under both names. Where :as was not heeded,
	// it would be taken for missing.
	if err == nil && (p.bareUID && p.uid == "" || p.bareChildren && p.children == nil) {
		err = errors.New("attributes have other names than were asked for")
	}
	return p, err
}

func (d decoder) member(p *pulled, key string) (err error) {
	last := key[strings.LastIndexAny(key, ":/")+1:]
	name := key
	if d.plain {
		name = "f-" + last
	}
	switch name {
	case "f-page":
		p.page, err = d.one()
	case "f-user":
		if user, fails := d.one(); fails != nil || user != nil && user.uid != "" { // not the creator, whom * gives
			p.editor, err = user, fails
		}
	case "f-_children":
		p.parents, err = d.entities()
	case "f-children":
		p.children, err = d.entities()
	case "f-_refs":
		p.referrers, err = d.entities()
	case "f-parents":
		p.above, err = d.entities()
	default:
		var other json.RawMessage
		field := p.field(key)
		if field == nil {
			field = &other
			p.bareUID, p.bareChildren = p.bareUID || last == "uid", p.bareChildren || last == "children"
			if !knownAttribute(key) {
				p.other = append(p.other, key)
			}
		}
		err = d.Decode(field)
	}
	return err
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

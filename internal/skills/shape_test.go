package skills

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/rawjson"
)

// shapes are the forms of answers that have a name. A form is
//
//	{ a, b?, c: FORM }  an object; b may be missing, and nothing else may be there
//	[FORM]              an array
//	FORM | FORM         either
//	NAME                a form of that name, and where there is none any value
type shapes map[string]string

// fits returns nil where a JSON text has a form.
func (s shapes) fits(form, text string) error {
	if !json.Valid([]byte(text)) {
		return fmt.Errorf("no JSON: %s", text)
	}
	var err error
	for _, each := range split(form, '|') {
		if err = s.fit(each, text); err == nil {
			return nil
		}
	}
	return err
}

func (s shapes) fit(form, text string) error {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(form, "{"):
		return s.fitObject(inside(form), text)
	case strings.HasPrefix(form, "["):
		if !strings.HasPrefix(text, "[") {
			return fmt.Errorf("%s is no array", text)
		}
		for _, element := range rawjson.Elements([]byte(text)) {
			if err := s.fits(inside(form), string(element)); err != nil {
				return err
			}
		}
	case form == "null" && text != "null":
		return fmt.Errorf("%s is not null", text)
	case s[form] != "":
		return s.fits(s[form], text)
	}
	return nil
}

func (s shapes) fitObject(fields, text string) error {
	if !rawjson.IsObject([]byte(text)) {
		return fmt.Errorf("%s is no object", text)
	}
	left := rawjson.Parse([]byte(text))
	for _, field := range split(fields, ',') {
		name, form, _ := strings.Cut(field, ":")
		name, mayLack := strings.CutSuffix(strings.TrimSpace(name), "?")
		value := left.Get(name)
		if value == nil && !mayLack {
			return fmt.Errorf("%s has no %s", text, name)
		}
		if value != nil {
			if err := s.fits(strings.TrimSpace(form), string(value)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		left = left.Without(name)
	}
	if len(left) > 0 {
		return fmt.Errorf("%s has %s too", text, left[0].Key)
	}
	return nil
}

func inside(form string) string { return strings.TrimSpace(form[1 : len(form)-1]) }

// split cuts a form where a byte stands outside of all brackets.
func split(form string, at byte) []string {
	var parts []string
	depth, from := 0, 0
	for i := 0; i <= len(form); i++ {
		if i == len(form) || form[i] == at && depth == 0 {
			parts = append(parts, strings.TrimSpace(form[from:i]))
			from = i + 1
			continue
		}
		switch form[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
	return parts
}

func TestShapes(t *testing.T) {
	s := shapes{"note": "{ id, title? }"}
	for name, each := range map[string]struct {
		form, text string
		fits       bool
	}{
		"takes an object":                  {"note", `{"id":1,"title":"x"}`, true},
		"takes one without what may lack":  {"note", `{"id":1}`, true},
		"refuses one without what may not": {"note", `{"title":1}`, false},
		"refuses what is unknown":          {"note", `{"id":1,"more":2}`, false},
		"takes either":                     {"note | null", `null`, true},
		"refuses neither":                  {"note | null", `[]`, false},
		"looks into arrays":                {"[note]", `[{"id":1},{}]`, false},
		"looks into members":               {"{ notes: [note], total }", `{"notes":[{"x":1}],"total":2}`, false},
		"takes any value":                  {"{ notes }", `{"notes":[{"x":1}]}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := s.fits(each.form, each.text); (err == nil) != each.fits {
				t.Error(err)
			}
		})
	}
}

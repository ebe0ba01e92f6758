package surface

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

func testParams() []Param {
	low, high := Between(0, 3)
	one, many := Between(1, 200)
	return []Param{
		{Name: "title", Kind: String, Title: true, About: problem.Say("A title.")},
		{Name: "parentUid", Kind: String, Required: true, NonEmpty: true, About: problem.Say("A uid.")},
		{Name: "sort", Kind: String, Choices: []string{"asc", "desc"}},
		{Name: "heading", Kind: Integer, Min: low, Max: high},
		{Name: "limit", Kind: Integer, Min: one, Max: many, Clamp: true},
		{Name: "offset", Kind: Integer, Min: low, Clamp: true},
		{Name: "open", Kind: Boolean},
		{Name: "order", Kind: Order},
		{Name: "uids", Kind: Strings},
		{Name: "inputs", Kind: Values},
		{Name: "updates", Kind: Objects, Fields: []Param{
			{Name: "uid", Kind: String, Required: true, NonEmpty: true}, {Name: "heading", Kind: Integer, Min: low, Max: high},
		}},
		{Name: "threshold", Kind: Number, Min: low, Max: high},
		{Name: "score", Kind: Number},
		{Name: "tags", Kind: Strings, NonEmpty: true},
		{Name: "items", Kind: Values, Null: true, Fields: []Param{{Name: "text", Kind: String}}},
	}
}

func TestArgumentsAreRepairedBeforeTheyAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		raw  string
		want Arguments
	}{
		"as they should be":           {`{"parentUid":"a","heading":2,"open":false,"order":"first"}`, Arguments{"parentUid": "a", "heading": 2, "open": false, "order": "first"}},
		"the whole list as a string":  {`"{\"parentUid\":\"a\"}"`, Arguments{"parentUid": "a"}},
		"a number as a string":        {`{"parentUid":"a","heading":" 2 "}`, Arguments{"parentUid": "a", "heading": 2}},
		"a whole number with a point": {`{"parentUid":"a","heading":1.0}`, Arguments{"parentUid": "a", "heading": 1}},
		"a boolean as a string":       {`{"parentUid":"a","open":"True"}`, Arguments{"parentUid": "a", "open": true}},
		"a number for a text":         {`{"parentUid":2024}`, Arguments{"parentUid": "2024"}},
		"null for absent":             {`{"parentUid":"a","title":null}`, Arguments{"parentUid": "a"}},
		"a link for a title":          {`{"parentUid":"a","title":" [[Home]]"}`, Arguments{"parentUid": "a", "title": "Home"}},
		"a link with another in it":   {`{"parentUid":"a","title":"[[A [[B]] c]]"}`, Arguments{"parentUid": "a", "title": "A [[B]] c"}},
		"two links are a title":       {`{"parentUid":"a","title":"[[A]] and [[B]]"}`, Arguments{"parentUid": "a", "title": "[[A]] and [[B]]"}},
		"brackets alone are a title":  {`{"parentUid":"a","title":"[[]]"}`, Arguments{"parentUid": "a", "title": "[[]]"}},
		"snake case":                  {`{"parent_uid":"a"}`, Arguments{"parentUid": "a"}},
		"a list as a string":          {`{"parentUid":"a","uids":"[\"x\",\"y\"]"}`, Arguments{"parentUid": "a", "uids": []string{"x", "y"}}},
		"one text for a list":         {`{"parentUid":"a","uids":"x"}`, Arguments{"parentUid": "a", "uids": []string{"x"}}},
		"a place as a number":         {`{"parentUid":"a","order":3}`, Arguments{"parentUid": "a", "order": 3}},
		"a place as a string":         {`{"parentUid":"a","order":"3"}`, Arguments{"parentUid": "a", "order": 3}},
		"a choice in capitals":        {`{"parentUid":"a","sort":"ASC"}`, Arguments{"parentUid": "a", "sort": "asc"}},
		"values of any kind":          {`{"parentUid":"a","inputs":["x",7,true]}`, Arguments{"parentUid": "a", "inputs": raws(`"x"`, `7`, `true`)}},
		"values as a string":          {`{"parentUid":"a","inputs":"[1, \"y\"]"}`, Arguments{"parentUid": "a", "inputs": raws(`1`, `"y"`)}},
		"one value for a list":        {`{"parentUid":"a","inputs":"x"}`, Arguments{"parentUid": "a", "inputs": raws(`"x"`)}},
		"no values":                   {`{"parentUid":"a","inputs":[]}`, Arguments{"parentUid": "a", "inputs": raws()}},
		"objects":                     {`{"parentUid":"a","updates":[{"uid":"b","heading":"2"},{"uid":7}]}`, Arguments{"parentUid": "a", "updates": []Arguments{{"uid": "b", "heading": 2}, {"uid": "7"}}}},
		"objects as a string":         {`{"parentUid":"a","updates":"[{\"uid\":\"b\"}]"}`, Arguments{"parentUid": "a", "updates": []Arguments{{"uid": "b"}}}},
		"objects as strings":          {`{"parentUid":"a","updates":["{\"uid\":\"b\"}"]}`, Arguments{"parentUid": "a", "updates": []Arguments{{"uid": "b"}}}},
		"one object for a list":       {`{"parentUid":"a","updates":{"uid":"b"}}`, Arguments{"parentUid": "a", "updates": []Arguments{{"uid": "b"}}}},
		"one object as a string":      {`{"parentUid":"a","updates":"{\"uid\":\"b\"}"}`, Arguments{"parentUid": "a", "updates": []Arguments{{"uid": "b"}}}},
		"a number":                    {`{"parentUid":"a","threshold":0.25}`, Arguments{"parentUid": "a", "threshold": 0.25}},
		"a number as text":            {`{"parentUid":"a","threshold":" 3 "}`, Arguments{"parentUid": "a", "threshold": 3.0}},
		"null as a value by itself":   {`{"parentUid":"a","items":null}`, Arguments{"parentUid": "a", "items": nil}},
		"values instead of objects":   {`{"parentUid":"a","items":["milk",{"text":"tea","done":true}]}`, Arguments{"parentUid": "a", "items": raws(`"milk"`, `{"text":"tea","done":true}`)}},
		"hidden parameters":           {`{"parentUid":"a","graph":"Work"}`, Arguments{"parentUid": "a", "graph": "Work"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseArguments("tool", json.RawMessage(tc.raw), testParams(), []Param{{Name: "graph"}})
			if err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %v, %v; want %v", got, err, tc.want)
			}
		})
	}
}

func TestIntegersBeyondTheirBoundsAreClamped(t *testing.T) {
	for name, tc := range map[string]struct {
		raw           string
		limit, offset int
		want          string
	}{
		"within":              {`{"limit":200,"offset":3}`, 200, 3, ""},
		"too many":            {`{"limit":500}`, 200, -7, "limit was 500; it is a whole number from 1 to 200, so 200 was used."},
		"none, from a form":   {`{"limit":0,"offset":0}`, -7, 0, ""},
		"all, as many say it": {`{"limit":-1,"offset":-2}`, 200, 0, "limit was -1; it is a whole number from 1 to 200, so 200 was used. offset was -2; it is a whole number from 0, so 0 was used."},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseArguments("tool", rawjson.Parse(json.RawMessage(tc.raw)).With("parentUid", "a").JSON(), testParams(), nil)
			if err != nil || got.Number("limit", -7) != tc.limit || got.Number("offset", -7) != tc.offset || got.Clamped() != tc.want {
				t.Errorf("got %v, %q, %v", got, got.Clamped(), err)
			}
		})
	}
}

func TestWhatFormsAreFilledWithCountsAsNotGiven(t *testing.T) {
	for raw, want := range map[string]Arguments{
		`{"sort":"","open":"","order":"","uids":"","inputs":"","updates":"","heading":"","threshold":"","tags":""}`: {},
		`{"limit":0,"offset":0,"heading":0,"threshold":0}`:                                                          {"offset": 0, "heading": 0, "threshold": 0.0},
		`{"limit":"0","title":""}`: {"title": ""},
	} {
		got, err := ParseArguments("tool", rawjson.Parse(json.RawMessage(raw)).With("parentUid", "a").JSON(), testParams(), nil)
		if want["parentUid"] = "a"; err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, %v; want %v", raw, got, err, want)
		}
	}
}

func raws(values ...string) []json.RawMessage {
	list := []json.RawMessage{}
	for _, value := range values {
		list = append(list, json.RawMessage(value))
	}
	return list
}

func TestWhatStaysWrongIsRefusedByName(t *testing.T) {
	for name, tc := range map[string]struct{ raw, want string }{
		"a missing parameter":   {`{}`, "parentUid is missing"},
		"no arguments at all":   {``, "parentUid is missing"},
		"an unknown parameter":  {`{"parentUid":"a","dryRun":true}`, `no parameter "dryRun"`},
		"an empty uid":          {`{"parentUid":" "}`, "parentUid"},
		"not a number":          {`{"parentUid":"a","heading":"big"}`, "a whole number from 0 to 3"},
		"out of range":          {`{"parentUid":"a","heading":7}`, "a whole number from 0 to 3"},
		"a number out of range": {`{"parentUid":"a","threshold":3.5}`, "a number from 0 to 3"},
		"no number":             {`{"parentUid":"a","score":"high"}`, "a number"},
		"infinity":              {`{"parentUid":"a","score":"inf"}`, "a number"},
		"an empty list":         {`{"parentUid":"a","tags":[]}`, "a list of one string or more"},
		"half a number":         {`{"parentUid":"a","heading":1.5}`, "heading"},
		"not a boolean":         {`{"parentUid":"a","open":1}`, "true or false"},
		"no such choice":        {`{"parentUid":"a","sort":"up"}`, "asc, desc"},
		"a place below 0":       {`{"parentUid":"a","order":-1}`, "first, last or a whole number"},
		"an object for a text":  {`{"parentUid":{"a":1}}`, "a text"},
		"a text for objects":    {`{"parentUid":"a","updates":"all"}`, "a list of objects with uid, heading"},
		"a number for objects":  {`{"parentUid":"a","updates":7}`, "a list of objects"},
		"a list in objects":     {`{"parentUid":"a","updates":[[1]]}`, "updates[0]"},
		"a field of an object":  {`{"parentUid":"a","updates":[{"uid":"b"},{"uid":"c","heading":9}]}`, "updates[1]: heading"},
		"an object without":     {`{"parentUid":"a","updates":[{"heading":1}]}`, "updates[0]: uid is missing"},
		"a list of arguments":   {`[1]`, "must be a JSON object"},
		"half an object":        {`"{\"a\":"`, "must be a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseArguments("tool", json.RawMessage(tc.raw), testParams(), nil)
			if problem.CodeOf(err) != CodeInvalidParams || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"parentUid":"a","heading":"2","order":1}`)
	f.Add(`"{\"parentUid\":\"a\"}"`)
	f.Add(`{"parentUid":["a"],"uids":"[]"}`)
	f.Add(`{"parentUid":"a","inputs":[1,"x"],"updates":"[{\"uid\":\"b\"},\"{}\"]"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		if !json.Valid([]byte(raw)) && raw != "" {
			return // what comes over the wire is valid JSON
		}
		got, err := ParseArguments("tool", json.RawMessage(raw), testParams(), nil)
		if err != nil {
			if problem.CodeOf(err) != CodeInvalidParams || !utf8.ValidString(err.Error()) || len(err.Error()) > 2000 {
				t.Errorf("unfit error %q", err)
			}
			return
		}
		if strings.TrimSpace(got.Text("parentUid")) == "" {
			t.Error("a required parameter is missing")
		}
	})
}

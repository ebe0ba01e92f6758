package mcpserve

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func testParams() []param {
	low, high := between(0, 3)
	return []param{
		{name: "title", kind: kindString, title: true, about: "A title."},
		{name: "parentUid", kind: kindString, required: true, nonEmpty: true, about: "A uid."},
		{name: "sort", kind: kindString, choices: []string{"asc", "desc"}},
		{name: "heading", kind: kindInteger, min: low, max: high},
		{name: "open", kind: kindBoolean},
		{name: "order", kind: kindOrder},
		{name: "uids", kind: kindStrings},
		{name: "inputs", kind: kindValues},
		{name: "updates", kind: kindObjects, fields: []param{
			{name: "uid", kind: kindString, required: true, nonEmpty: true}, {name: "heading", kind: kindInteger, min: low, max: high},
		}},
	}
}

func TestArgumentsAreRepairedBeforeTheyAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		raw  string
		want arguments
	}{
		"as they should be":           {`{"parentUid":"a","heading":2,"open":false,"order":"first"}`, arguments{"parentUid": "a", "heading": 2, "open": false, "order": "first"}},
		"the whole list as a string":  {`"{\"parentUid\":\"a\"}"`, arguments{"parentUid": "a"}},
		"a number as a string":        {`{"parentUid":"a","heading":" 2 "}`, arguments{"parentUid": "a", "heading": 2}},
		"a whole number with a point": {`{"parentUid":"a","heading":1.0}`, arguments{"parentUid": "a", "heading": 1}},
		"a boolean as a string":       {`{"parentUid":"a","open":"True"}`, arguments{"parentUid": "a", "open": true}},
		"a number for a text":         {`{"parentUid":2024}`, arguments{"parentUid": "2024"}},
		"null for absent":             {`{"parentUid":"a","title":null}`, arguments{"parentUid": "a"}},
		"a link for a title":          {`{"parentUid":"a","title":" [[Home]]"}`, arguments{"parentUid": "a", "title": "Home"}},
		"a link with another in it":   {`{"parentUid":"a","title":"[[A [[B]] c]]"}`, arguments{"parentUid": "a", "title": "A [[B]] c"}},
		"two links are a title":       {`{"parentUid":"a","title":"[[A]] and [[B]]"}`, arguments{"parentUid": "a", "title": "[[A]] and [[B]]"}},
		"brackets alone are a title":  {`{"parentUid":"a","title":"[[]]"}`, arguments{"parentUid": "a", "title": "[[]]"}},
		"snake case":                  {`{"parent_uid":"a"}`, arguments{"parentUid": "a"}},
		"a list as a string":          {`{"parentUid":"a","uids":"[\"x\",\"y\"]"}`, arguments{"parentUid": "a", "uids": []string{"x", "y"}}},
		"one text for a list":         {`{"parentUid":"a","uids":"x"}`, arguments{"parentUid": "a", "uids": []string{"x"}}},
		"a place as a number":         {`{"parentUid":"a","order":3}`, arguments{"parentUid": "a", "order": 3}},
		"a place as a string":         {`{"parentUid":"a","order":"3"}`, arguments{"parentUid": "a", "order": 3}},
		"a choice in capitals":        {`{"parentUid":"a","sort":"ASC"}`, arguments{"parentUid": "a", "sort": "asc"}},
		"values of any kind":          {`{"parentUid":"a","inputs":["x",7,true]}`, arguments{"parentUid": "a", "inputs": raws(`"x"`, `7`, `true`)}},
		"values as a string":          {`{"parentUid":"a","inputs":"[1, \"y\"]"}`, arguments{"parentUid": "a", "inputs": raws(`1`, `"y"`)}},
		"one value for a list":        {`{"parentUid":"a","inputs":"x"}`, arguments{"parentUid": "a", "inputs": raws(`"x"`)}},
		"no values":                   {`{"parentUid":"a","inputs":[]}`, arguments{"parentUid": "a", "inputs": raws()}},
		"objects":                     {`{"parentUid":"a","updates":[{"uid":"b","heading":"2"},{"uid":7}]}`, arguments{"parentUid": "a", "updates": []arguments{{"uid": "b", "heading": 2}, {"uid": "7"}}}},
		"objects as a string":         {`{"parentUid":"a","updates":"[{\"uid\":\"b\"}]"}`, arguments{"parentUid": "a", "updates": []arguments{{"uid": "b"}}}},
		"objects as strings":          {`{"parentUid":"a","updates":["{\"uid\":\"b\"}"]}`, arguments{"parentUid": "a", "updates": []arguments{{"uid": "b"}}}},
		"one object for a list":       {`{"parentUid":"a","updates":{"uid":"b"}}`, arguments{"parentUid": "a", "updates": []arguments{{"uid": "b"}}}},
		"one object as a string":      {`{"parentUid":"a","updates":"{\"uid\":\"b\"}"}`, arguments{"parentUid": "a", "updates": []arguments{{"uid": "b"}}}},
		"hidden parameters":           {`{"parentUid":"a","graph":"Work"}`, arguments{"parentUid": "a", "graph": "Work"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseArguments("tool", json.RawMessage(tc.raw), testParams(), []param{{name: "graph"}})
			if err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %v, %v; want %v", got, err, tc.want)
			}
		})
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
		"a missing parameter":  {`{}`, "parentUid is missing"},
		"no arguments at all":  {``, "parentUid is missing"},
		"an unknown parameter": {`{"parentUid":"a","dryRun":true}`, `no parameter "dryRun"`},
		"an empty uid":         {`{"parentUid":" "}`, "parentUid"},
		"not a number":         {`{"parentUid":"a","heading":"big"}`, "a whole number from 0 to 3"},
		"out of range":         {`{"parentUid":"a","heading":7}`, "a whole number from 0 to 3"},
		"half a number":        {`{"parentUid":"a","heading":1.5}`, "heading"},
		"an empty number":      {`{"parentUid":"a","heading":""}`, "heading"},
		"not a boolean":        {`{"parentUid":"a","open":1}`, "true or false"},
		"no such choice":       {`{"parentUid":"a","sort":"up"}`, "asc, desc"},
		"an empty place":       {`{"parentUid":"a","order":""}`, "first, last or a whole number"},
		"a place below 0":      {`{"parentUid":"a","order":-1}`, "first, last or a whole number"},
		"an object for a text": {`{"parentUid":{"a":1}}`, "a text"},
		"a text for objects":   {`{"parentUid":"a","updates":"all"}`, "a list of objects with uid, heading"},
		"a number for objects": {`{"parentUid":"a","updates":7}`, "a list of objects"},
		"a list in objects":    {`{"parentUid":"a","updates":[[1]]}`, "updates[0]"},
		"a field of an object": {`{"parentUid":"a","updates":[{"uid":"b"},{"uid":"c","heading":9}]}`, "updates[1]: heading"},
		"an object without":    {`{"parentUid":"a","updates":[{"heading":1}]}`, "updates[0]: uid is missing"},
		"a list of arguments":  {`[1]`, "must be a JSON object"},
		"half an object":       {`"{\"a\":"`, "must be a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseArguments("tool", json.RawMessage(tc.raw), testParams(), nil)
			if failureOf(err).Code != CodeInvalidParams || !strings.Contains(err.Error(), tc.want) {
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
		got, err := parseArguments("tool", json.RawMessage(raw), testParams(), nil)
		if err != nil {
			if failureOf(err).Code != CodeInvalidParams || !utf8.ValidString(err.Error()) || len(err.Error()) > 2000 {
				t.Errorf("unfit error %q", err)
			}
			return
		}
		if strings.TrimSpace(got.text("parentUid")) == "" {
			t.Error("a required parameter is missing")
		}
	})
}

func TestDaysAreCheckedBeforeTheyAreSent(t *testing.T) {
	zone := time.FixedZone("east", 13*3600)
	now := time.Date(2026, time.March, 1, 0, 30, 0, 0, zone)
	for in, want := range map[string]string{
		"today": "03-01-2026", " Yesterday ": "02-28-2026", "TOMORROW": "03-02-2026",
		"11-21-2026": "11-21-2026", "2026-11-21": "11-21-2026", "02-29-2024": "02-29-2024",
		"02-29-2026": "", "99-99-2026": "", "constructor": "", "": "", "11/21/2026": "", "1-2-2026": "",
	} {
		got, err := parseDay(in, now)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestTextThatWasReadIsDecodedBeforeItIsWritten(t *testing.T) {
	m := roamMarks()
	for name, tc := range map[string]struct{ in, want string }{
		"plain text":         {"Hello **you**", "Hello **you**"},
		"tag and bullet":     {`  - See this <roam uid="a" refs="2"/>`, "See this"},
		"a reference":        {`See ((k4B2xY9pL))<ref>ship the fix</ref> now`, "See ((k4B2xY9pL)) now"},
		"two references":     {`((a1))<ref>x</ref> and ((b2))<ref>y</ref>`, "((a1)) and ((b2))"},
		"lines":              {"one\ntwo <roam uid=\"a\"/>", "one\ntwo"},
		"a dash inside":      {"a - b", "a - b"},
		"an empty text":      {"", ""},
		"a tag-like nothing": {"<roamer/> stays", "<roamer/> stays"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := m.decode("update_block", tc.in); err != nil || got != tc.want {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
	if _, err := m.decode("update_block", `long <roam uid="a" truncated="200"/>`); failureOf(err).Code != CodeTruncatedSource {
		t.Errorf("cut text: %v", err)
	}
	if _, err := m.decode("update_block", "- a <roam uid=\"a\"/>\n  - b <roam uid=\"b\"/>"); failureOf(err).Code != CodeInvalidParams {
		t.Errorf("two blocks: %v", err)
	}
}

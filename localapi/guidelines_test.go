package localapi

import "testing"

func TestGuidelinesAreFoundInEveryShapeOfTheReply(t *testing.T) {
	for name, test := range map[string]struct{ result, want string }{
		"an object":                     {`{"guidelines": "- be kind", "starredPages": []}`, "- be kind"},
		"an object with null":           {`{"guidelines": null}`, ""},
		"an object without the field":   {`{"starredPages": []}`, ""},
		"the bare string of old builds": {`"- be kind"`, "- be kind"},
		"null":                          {`null`, ""},
		"no result at all":              {``, ""},
		"something else in the field":   {`{"guidelines": {"text": "x"}}`, ""},
		"a list":                        {`["x"]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := guidelinesIn([]byte(test.result)); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

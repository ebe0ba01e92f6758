package observed

import (
	"strings"
	"testing"
)

func TestAFindingIsPlayedInOneForm(t *testing.T) {
	for _, belief := range Beliefs() {
		for _, each := range append([]string{belief.Expected}, belief.Otherwise...) {
			if got, playable := belief.Parse(each); got != each || !playable {
				t.Errorf("%s: %q, %v", belief.ID, got, playable)
			}
		}
		if got, playable := belief.Parse("nothing of this kind"); playable {
			t.Errorf("%s: %q", belief.ID, got)
		}
	}
	silent, _ := Find("silent")
	if got, playable := silent.Parse("move,create,move"); got != "create,move" || !playable {
		t.Errorf("%q, %v", got, playable)
	}
	unknown, _ := Find("error-action")
	for text, want := range map[string]bool{"404": true, "200": true, "500 A_B": true, "404 ": false, "99": false, "4040": false, "404 no": false} {
		if _, playable := unknown.Parse(text); playable != want {
			t.Errorf("%q: %v", text, playable)
		}
	}
}

func TestWhatIsNoFileOfAProbeIsRefused(t *testing.T) {
	for _, text := range []string{"", "[]", "{}", `{"checks":[]}`, `{"checks":7}`, strings.Repeat(" ", maxFile+1)} {
		if file, err := Parse([]byte(text)); err == nil {
			t.Errorf("%.20s: %+v", text, file)
		}
	}
	file, err := Parse([]byte(`{"checks":[{"id":"new","found":"x","more":1}],"later":true}`))
	if err != nil || len(file.Checks) != 1 {
		t.Errorf("%+v, %v", file, err)
	}
}

func TestQuirksOfNothingAreNone(t *testing.T) {
	var none Quirks
	if none.Finding("silent") != "" || none.Has("silent", "create") || none.Has("silent", "") {
		t.Error("something is found")
	}
	some := Quirks(func(id string) string { return map[string]string{"silent": "create,move"}[id] })
	if !some.Has("silent", "move") || some.Has("silent", "update") || some.Has("as", "") {
		t.Error("what is found is not told")
	}
}

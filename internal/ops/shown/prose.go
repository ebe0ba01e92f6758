package shown

import "strconv"

// Lines returns what an error tells of blocks that somebody else has changed, for a reader
// of prose: three lines a block or more, each text whole and in quotes, on one line.
func Lines(err error) []string {
	var lines []string
	told := ChangedBlocks(err)
	for i, each := range told {
		number := ""
		if len(told) > 1 {
			number = strconv.Itoa(i+1) + ". "
		}
		lines = append(lines, number+"Shown: "+strconv.Quote(each.Shown), "Sent: "+quotedOr(each.Sent, "nothing, it was to go"))
		now := "Now: " + quotedOr(each.Now, "nothing, it is gone")
		if each.Moved && each.Now != nil {
			now += ", at another place"
		}
		lines = append(lines, now)
		if each.Below != "" {
			lines = append(lines, "New below it: "+strconv.Quote(each.Below))
		}
	}
	return lines
}

func quotedOr(text *string, otherwise string) string {
	if text == nil {
		return otherwise
	}
	return strconv.Quote(*text)
}

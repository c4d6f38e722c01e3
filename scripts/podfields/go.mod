module podsource/podfields

go 1.24

function SLMown(names)
%SLMOWN  Tells the library which functions of the program are analysed.
global SLM_analysed
SLM_analysed = names;
end
